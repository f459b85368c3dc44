// Bugs planted into copies of a kernel's sources.
#include "fuzz/proof/plant_faults.h"

#include <gtest/gtest.h>

#include "fuzz/files.h"
#include "fuzz/temp_folder.h"

namespace prelaunch::fuzz {
namespace {

constexpr const char* kGood = R"json([
  {"name": "one", "what": "w", "file": "kernel.cu", "find": "i < n", "put": "FAULT || i < n"},
  {"name": "two", "what": "v", "file": "part.h", "find": "a - 1", "put": "a - (FAULT ? 2 : 1)"
}])json";

class PlantFaults : public testing::Test {
 protected:
  std::vector<SourceFault> plant(const std::string& list) {
    folder_.write("kernels/op/kernel.cu", "if (i < n) x = i + i;\n");
    folder_.write("kernels/op/part.h", "#pragma once\nint b = a - 1;\n");
    folder_.write("kernels/op/faults.json", list);
    return plant_faults(folder_.path(), "op", folder_.path() / "out");
  }
  std::string error_of(const std::string& list) {
    try {
      plant(list);
    } catch (const FileError& error) {
      return error.what();
    }
    return "none";
  }
  std::string out(const std::string& name) {
    return read_file(folder_.path() / "out/kernels/op" / name, 1000);
  }

  TempFolder folder_;
};

TEST_F(PlantFaults, EachIsAlternativeByItsNumber) {
  const auto faults = plant(kGood);
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].name, "one");
  EXPECT_EQ(faults[1].what, "v");
  EXPECT_NE(out("kernel.cu").find("if (::prelaunch::planted::fault(0) || i < n) x"),
            std::string::npos);
  EXPECT_NE(out("part.h").find("a - (::prelaunch::planted::fault(1) ? 2 : 1)"), std::string::npos);
}

TEST_F(PlantFaults, WhatIsNotThereOnceIsNamed) {
  EXPECT_NE(error_of(R"json([{"name": "x", "what": "w", "file": "kernel.cu", "find": "j < n",
                          "put": "FAULT"}])json")
                .find("bug 1: expected once in kernel.cu, found never: \"j < n\""),
            std::string::npos);
  EXPECT_NE(error_of(R"json([{"name": "x", "what": "w", "file": "kernel.cu", "find": "i",
                          "put": "FAULT"}])json")
                .find("expected once in kernel.cu, found several times: \"i\""),
            std::string::npos);
}

TEST_F(PlantFaults, ABugThatIsNeverActiveIsNone) {
  EXPECT_NE(error_of(R"json([{"name": "x", "what": "w", "file": "kernel.cu", "find": "i < n",
                          "put": "true"}])json")
                .find("expected FAULT in \"true\""),
            std::string::npos);
}

TEST_F(PlantFaults, AListThatIsNoneIsNamed) {
  for (const char* list : {"", "{", "{}"}) {
    EXPECT_NE(error_of(list).find("faults.json: expected a JSON array"), std::string::npos) << list;
  }
  for (const char* list : {"[{}]", "[1]", R"([{"name": 1}])"}) {
    EXPECT_NE(error_of(list).find("faults.json: bug 1: expected an object with a text \"name\""),
              std::string::npos)
        << list;
  }
}

}  // namespace
}  // namespace prelaunch::fuzz
