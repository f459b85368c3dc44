// A folder that a test writes sources into.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "fuzz/files.h"

namespace prelaunch::fuzz {

class TestFolder : public testing::Test {
 protected:
  TestFolder() {
    std::string pattern = testing::TempDir() + "prelaunch-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~TestFolder() override {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, std::string_view content) const {
    make_folder((path_ / name).parent_path());
    write_file(path_ / name, content);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace prelaunch::fuzz
