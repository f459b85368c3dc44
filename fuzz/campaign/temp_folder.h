// What the campaign's tests share: a folder that goes when the test ends, and files in it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "fuzz/files.h"
#include "fuzz/json.h"

namespace prelaunch::fuzz {

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = testing::TempDir() + "prelaunch-XXXXXX";
    path_ = mkdtemp(pattern.data());
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

inline const OpInfo& pack() { return *find_op("ulysses_pack"); }

// The text of one of the op's seeds.
inline std::string seed_text(std::string_view name) {
  for (const NamedCall& named : pack().seeds()) {
    if (named.name == name) return format_call(pack(), named);
  }
  return {};
}

}  // namespace prelaunch::fuzz
