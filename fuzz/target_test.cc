// What a libFuzzer target does with one input.
#include "fuzz/target.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <fstream>

#include "fuzz/json.h"
#include "fuzz/seeds.h"

namespace prelaunch::fuzz {
namespace {

const OpInfo& pack() { return *find_op("ulysses_pack"); }

std::vector<std::uint8_t> seed_bytes(std::string_view name) {
  for (const NamedCall& named : seeds(pack())) {
    if (named.name == name) return encode(pack(), named.call);
  }
  return {};
}

TEST(Target, CountsWhatItSaw) {
  const Stats before = stats();
  const std::size_t rule = rule_index(pack(), "qkv.cuda");
  EXPECT_EQ(run_input(pack(), seed_bytes("accept-small_vector"), Profile::kExecute), 0);
  EXPECT_EQ(run_input(pack(), seed_bytes("accept-small_vector"), Profile::kValidate), 0);
  EXPECT_EQ(run_input(pack(), seed_bytes("qkv.cuda-broken"), Profile::kExecute), 0);
  EXPECT_EQ(run_input(pack(), {}, Profile::kExecute), 0);
  EXPECT_EQ(stats().executions - before.executions, 4u);
  EXPECT_EQ(stats().accepted - before.accepted, 2u);
  EXPECT_EQ(stats().rejected - before.rejected, 2u);
  EXPECT_EQ(stats().executed - before.executed, 1u);
  EXPECT_EQ(stats().fired[rule] - before.fired[rule], 1u);
  EXPECT_EQ(stats().valid - before.valid, 0u);
  EXPECT_EQ(stats().violations - before.violations, 0u);
}

// The second byte of a generated input is the kind of its call.
TEST(Target, CountsOfHowManyItKnewTheVerdict) {
  const Stats before = stats();
  for (const int kind : {0, 2, 1, 63}) {
    EXPECT_EQ(run_input(pack(), std::vector<std::uint8_t>{1, static_cast<std::uint8_t>(kind), 3},
                        Profile::kValidate),
              0);
  }
  EXPECT_EQ(stats().executions - before.executions, 4u);
  EXPECT_EQ(stats().valid - before.valid, 2u);
  EXPECT_EQ(stats().violations - before.violations, 1u);
}

TEST(Target, AnyInputIsJudged) {
  Choices choose(std::uint64_t{1});
  for (int i = 0; i < 5'000; ++i) {
    std::vector<std::uint8_t> bytes(choose.below(120));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(choose.below(256));
    ASSERT_EQ(run_input(pack(), bytes, Profile::kExecute), 0);
  }
}

TEST(TargetDeathTest, AFindingEndsTheProcessWithOneLine) {
  Judgement judgement;
  judgement.reason = Reason::kWrongResult;
  judgement.detail = "out[0] is 1";
  EXPECT_DEATH(report_finding(pack(), Expectation{}, judgement),
               "prelaunch finding: op=ulysses_pack reason=wrong_result rule=none "
               "detail=out\\[0\\] is 1\n");
  judgement.rule = rule_index(pack(), "qkv.cuda");
  EXPECT_DEATH(report_finding(pack(), Expectation{}, judgement),
               "rule=ulysses_pack.qkv.cuda detail=");
}

// What the child of a death test does, with the campaign's file named.
[[noreturn]] void count_and_end(const std::string& path) {
  setenv("PRELAUNCH_STATS", path.c_str(), 1);
  stats().executions += 7;
  std::abort();
}

TEST(StatsDeathTest, CountsOutliveTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the child has counted nothing before
  const std::string path = testing::TempDir() + "prelaunch_target_test.stats";
  std::ofstream(path) << std::string(sizeof(Stats), '\0');
  EXPECT_DEATH(count_and_end(path), "");
  std::uint64_t executions = 0;
  std::ifstream(path).read(reinterpret_cast<char*>(&executions), sizeof executions);
  EXPECT_EQ(executions, 7u);
  std::remove(path.c_str());
}

TEST(StatsDeathTest, AFileThatCannotBeMappedEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(count_and_end("/none/stats"), testing::ExitedWithCode(3),
              "prelaunch: PRELAUNCH_STATS: cannot map /none/stats: No such file or directory");
}

TEST(Reasons, EachHasItsName) {
  EXPECT_EQ(to_string(Reason::kNone), "none");
  EXPECT_EQ(to_string(Reason::kLaunchFailed), "launch_failed");
  EXPECT_EQ(to_string(Reason::kForeignByteChanged), "foreign_byte_changed");
}

TEST(Rules, AreFoundByEitherFormOfTheirId) {
  const std::size_t rule = rule_index(pack(), "out.no_overlap");
  ASSERT_NE(rule, kNoRule);
  EXPECT_EQ(full_id(pack(), rule), "ulysses_pack.out.no_overlap");
  EXPECT_EQ(rule_index(pack(), full_id(pack(), rule)), rule);
  for (const char* id : {"", "out", "out.", ".no_overlap", "no_overlap", "other.out.no_overlap",
                         "ulysses_pack.", "ulysses_pack.out", "out.no_overlap.x"}) {
    EXPECT_EQ(rule_index(pack(), id), kNoRule) << id;
  }
}

}  // namespace
}  // namespace prelaunch::fuzz
