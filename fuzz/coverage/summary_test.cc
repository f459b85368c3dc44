// What llvm-cov printed, and what it could have.
#include "fuzz/coverage/summary.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fuzz/campaign/tool.h"

namespace prelaunch::fuzz {
namespace {

std::string file(std::string_view name, int lines, int covered) {
  return fmt::format(
      R"({{"filename":"{}","summary":{{"lines":{{"count":{},"covered":{},"percent":1}},)"
      R"("branches":{{"count":10,"covered":7,"notcovered":3,"percent":70}}}}}})",
      name, lines, covered);
}

std::string summary(const std::string& files) {
  return fmt::format(
      R"({{"data":[{{"files":[{}],"totals":{{}}}}],"type":"llvm.coverage.json.export"}})", files);
}

std::string refused(std::string_view json) {
  try {
    static_cast<void>(read_summary(json, {"/a.h"}));
  } catch (const Untrusted& error) {
    return error.what();
  }
  return "";
}

TEST(Summary, IsReadInTheOrderOfTheSources) {
  const std::string json = summary(file("/a.h", 5, 4) + "," + file("/b.h", 9, 9));
  const std::vector<SourceCoverage> read = read_summary(json, {"/b.h", "/a.h"});
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].lines.count, 9u);
  EXPECT_EQ(read[0].lines.covered, 9u);
  EXPECT_EQ(read[1].lines.count, 5u);
  EXPECT_EQ(read[1].lines.covered, 4u);
  EXPECT_EQ(read[1].branches.count, 10u);
  EXPECT_EQ(read[1].branches.covered, 7u);
}

TEST(Summary, ThatDoesNotListASourceIsNotTrusted) {
  EXPECT_EQ(refused(summary(file("/b.h", 5, 4))), "llvm-cov: expected lines of /a.h, got none");
  EXPECT_EQ(refused(summary(file("/a.h", 0, 0))), "llvm-cov: expected lines of /a.h, got none");
}

TEST(Summary, OfAnotherFormIsNotTrusted) {
  for (const std::string& text :
       {std::string(), std::string("warning: mismatch\n") + summary(file("/a.h", 5, 4)),
        std::string("{}"), std::string(R"({"data":[{"files":[{"filename":"/a.h"}]}]})"),
        summary(file("/a.h", -5, 4))}) {
    EXPECT_NE(refused(text).find("llvm-cov: expected a summary"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace prelaunch::fuzz
