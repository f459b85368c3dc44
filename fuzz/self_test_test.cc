// What a target that is blind in one way says of itself.
#include "fuzz/self_test.h"

#include <gtest/gtest.h>

#include "fuzz/seeds.h"

namespace prelaunch::fuzz {
namespace {

const OpInfo& pack() { return *find_op("ulysses_pack"); }

OpInfo with_judge(Judgement (*judge)(const Call&, const Expectation&, const JudgeOptions&)) {
  OpInfo op = pack();
  op.judge = judge;
  return op;
}

TEST(SelfTest, EveryOpPasses) {
  for (const OpInfo* op : all_ops()) {
    EXPECT_EQ(self_test(*op, Profile::kExecute), std::nullopt) << op->name;
    EXPECT_EQ(self_test(*op, Profile::kValidate), std::nullopt) << op->name;
  }
}

TEST(SelfTest, AnOracleThatSwallowsFindingsIsNamed) {
  const OpInfo op =
      with_judge([](const Call& call, const Expectation& expect, const JudgeOptions& options) {
        Judgement judgement = pack().judge(call, expect, options);
        judgement.reason = Reason::kNone;
        return judgement;
      });
  EXPECT_EQ(self_test(op, Profile::kValidate),
            "its oracle does not report a bad call that is accepted");
}

TEST(SelfTest, AWitnessThatMissesLaunchesIsNamed) {
  const OpInfo op =
      with_judge([](const Call& call, const Expectation& expect, const JudgeOptions& options) {
        Judgement judgement = pack().judge(call, expect, options);
        judgement.door.launches = 0;
        return judgement;
      });
  EXPECT_EQ(self_test(op, Profile::kValidate), "a witness missed a launch");
}

// Runs the smaller call instead: nothing outside of its memory is touched.
TEST(SelfTest, AKernelWhoseMemoryIsNotWatchedIsNamed) {
  const OpInfo op =
      with_judge([](const Call& call, const Expectation& expect, const JudgeOptions& options) {
        JudgeOptions own = options;
        own.memory_of = nullptr;
        return pack().judge(call, expect, own);
      });
  EXPECT_EQ(self_test(op, Profile::kExecute),
            "a kernel that reads or writes outside of its call's memory goes unnoticed");
  EXPECT_EQ(self_test(op, Profile::kValidate), std::nullopt);
}

}  // namespace
}  // namespace prelaunch::fuzz
