// Files that the fuzz tools read and write. What is read is untrusted: sizes are bounded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace prelaunch::fuzz {

// One line that names the file and says what is wrong.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The whole file. Throws FileError when it cannot be read or is larger than `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t limit);

// Writes a temporary file beside `path` and renames it: the file is whole or not there. What stands
// there and is no regular file is left alone. Throws FileError.
void write_file(const std::filesystem::path& path, std::string_view content);
// For long work whose result goes there: throws FileError now where write_file would at the end.
void expect_writable(const std::filesystem::path& path);

// The regular files directly in `dir` with this extension (".json"; empty for any), sorted by name.
// Throws FileError when the folder cannot be read.
std::vector<std::filesystem::path> list_files(const std::filesystem::path& dir,
                                              std::string_view extension);

// Holds the folder until the process ends. Throws FileError when another process does: two runs
// would write over each other.
void lock_folder(const std::filesystem::path& dir);

// Creates the folder and its parents. Throws FileError.
void make_folder(const std::filesystem::path& dir);

}  // namespace prelaunch::fuzz
