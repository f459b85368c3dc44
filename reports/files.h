// Files that may be missing, huge or not files at all, and files that must never be half written.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace prelaunch::reports {

// "<path>: <what the system said>", one printable line.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

// The whole of a regular file; nothing when it does not exist. Throws FileError for anything else:
// a folder, a pipe (never waited for), more than kMaxFileBytes, no permission.
std::optional<std::string> read_file(const std::filesystem::path& path);

// Replaces `path` by a file with these bytes, mode 0644: a temporary file in the same folder,
// flushed to disk, then renamed. A reader sees the old file or the new one; a failure leaves the
// old one and no temporary file. Throws FileError.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// Creates the folder and its parents where missing, and tries that a file can be made in it. Throws
// FileError.
void make_writable_folder(const std::filesystem::path& folder);

// Throws FileError unless `folder` is a folder.
void check_folder(const std::filesystem::path& folder);

// Removes a file that need not exist. Throws FileError.
void remove_file(const std::filesystem::path& path);

}  // namespace prelaunch::reports
