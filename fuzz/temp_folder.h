// A folder for what a program or a test writes on the way: it goes with its object.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "fuzz/files.h"

namespace prelaunch::fuzz {

class TempFolder {
 public:
  // Throws FileError.
  TempFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "prelaunch-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw FileError(pattern + ": cannot be made");
    path_ = pattern;
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
  std::filesystem::path path_;
};

}  // namespace prelaunch::fuzz
