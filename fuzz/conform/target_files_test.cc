#include "fuzz/conform/target_files.h"

#include <gtest/gtest.h>

#include "fuzz/campaign/temp_folder.h"

namespace prelaunch::fuzz {
namespace {

TEST(TargetFiles, OptionsAreSectionsOfKeysAndValues) {
  std::vector<std::string> wrong;
  const Options options = parse_options(
      "# for all\n[libfuzzer]\nmax_len = 64\n timeout=25\r\n\n[asan]\nsymbolize = 0", wrong);
  EXPECT_TRUE(wrong.empty());
  EXPECT_EQ(options, (Options{{"libfuzzer", {{"max_len", "64"}, {"timeout", "25"}}},
                              {"asan", {{"symbolize", "0"}}}}));
  EXPECT_EQ(engine_flags(options), (std::vector<std::string>{"-max_len=64", "-timeout=25"}));
  EXPECT_EQ(asan_options(options), "symbolize=0:");
  EXPECT_TRUE(engine_flags({}).empty());
}

TEST(TargetFiles, ALineThatIsNoOptionIsNamed) {
  for (const std::string line : {"speed", "= 3", "[libfuzzer", "key = before any section"}) {
    std::vector<std::string> wrong;
    parse_options(line, wrong);
    ASSERT_EQ(wrong.size(), 1u) << line;
    EXPECT_NE(wrong[0].find("'" + line + "'"), std::string::npos) << wrong[0];
  }
}

TEST(TargetFiles, ALineThatIsNoOptionIsShownAsItIs) {
  std::vector<std::string> wrong;
  parse_options("a\x1b[2J\xff", wrong);
  EXPECT_EQ(wrong.back(), "options: expected [section] or key = value, got 'a\u241b[2J\ufffd'");
}

TEST(TargetFiles, OnlyTargetsAndWhatLiesBesideThemBelongInTheOutputs) {
  const std::vector<std::string> targets = {"a_validate_fuzzer"};
  for (const char* name : {"a_validate_fuzzer", "a_validate_fuzzer.dict",
                           "a_validate_fuzzer.options", "a_validate_fuzzer_seed_corpus.zip"}) {
    EXPECT_TRUE(is_expected(name, targets)) << name;
  }
  for (const char* name : {"prelaunch-corpus", "a_validate_fuzzer.txt", "b_validate_fuzzer"}) {
    EXPECT_FALSE(is_expected(name, targets)) << name;
  }
}

TEST(TargetFiles, WhoMayBeExecutedIsTheTargetAlone) {
  const TempFolder out;
  const auto target = out.write("a_validate_fuzzer", ""),
             dict = out.write("a_validate_fuzzer.dict", "");
  const std::vector<std::string> targets = {"a_validate_fuzzer"};
  EXPECT_EQ(check_outputs(out.path(), targets),
            (std::vector<std::string>{"a_validate_fuzzer is not executable"}));
  std::filesystem::permissions(target, std::filesystem::perms::owner_all);
  EXPECT_TRUE(check_outputs(out.path(), targets).empty());
  std::filesystem::permissions(dict, std::filesystem::perms::owner_all);
  EXPECT_EQ(check_outputs(out.path(), targets),
            (std::vector<std::string>{"a_validate_fuzzer.dict is executable"}));
}

// Each fuzz/<op>_fuzzer.cc of this checkout promises a target of each profile.
TEST(TargetFiles, TheCheckoutPromisesEveryTarget) {
  std::vector<std::string> expected;
  for (const OpInfo* op : all_ops()) {
    for (const char* profile : {"_validate_fuzzer", "_execute_fuzzer"}) {
      expected.push_back(std::string(op->name) + profile);
    }
  }
  std::vector<std::string> promised = promised_targets(PRELAUNCH_SOURCE_DIR);
  std::sort(expected.begin(), expected.end());
  std::sort(promised.begin(), promised.end());
  EXPECT_EQ(promised, expected);
}

}  // namespace
}  // namespace prelaunch::fuzz
