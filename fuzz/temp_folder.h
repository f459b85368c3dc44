// A folder for what a program or a test writes on the way: it goes with its object.
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

#include "fuzz/files.h"

namespace prelaunch::fuzz {

class TempFolder {
 public:
  // Throws FileError.
  TempFolder() {
    std::error_code error;
    const std::filesystem::path base = std::filesystem::temp_directory_path(error);
    if (error || !make_in(base)) {
      const std::string why = error ? error.message() : std::strerror(errno);
      throw FileError("no temporary folder can be made, see TMPDIR: " + why);
    }
  }
  // In `base`, so that what is made there can be renamed into it. Throws FileError.
  explicit TempFolder(const std::filesystem::path& base) {
    if (make_in(base)) return;
    throw FileError(base.string() + ": no folder can be made there: " + std::strerror(errno));
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  // Writes a file and the folders above it.
  std::filesystem::path write(const std::string& name, std::string_view content) const {
    make_folder((path_ / name).parent_path());
    write_file(path_ / name, content);
    return path_ / name;
  }

 private:
  bool make_in(const std::filesystem::path& base) {
    std::string pattern = base / "prelaunch-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) return false;
    path_ = pattern;
    return true;
  }

  std::filesystem::path path_;
};

}  // namespace prelaunch::fuzz
