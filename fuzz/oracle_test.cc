// Each thing that the oracle can find is found for the bug that shows it, and nothing for the op
// without one.
#include "fuzz/oracle.h"

#include <gtest/gtest.h>

#include "fuzz/planted_op.h"
#include "kernels/emulator/door_emulator.h"
#include "kernels/emulator/sanitizer.h"

namespace prelaunch::fuzz {
namespace {

using planted::Bug;
using planted::Op;

Call valid_call(std::int64_t n = 5) {
  Call call;
  call.values[0].tensor = compact(kUInt8, cuda(1), 0, {n});
  call.values[1].tensor = compact(kUInt8, cuda(1), 1, {n});
  return call;
}

Call without_out(Call call) {
  call.values[1].absent = true;
  return call;
}

Call with_dtype(Call call, Dtype dtype) {
  call.values[0].tensor.dtype = dtype;
  return call;
}

Call with_stride(Call call, std::int64_t stride) {
  call.values[1].tensor.strides[0] = stride;
  return call;
}

std::size_t rule(std::string_view argument, std::string_view property) {
  for (std::size_t i = 0; i < kRules<Op>.size(); ++i) {
    if (kRules<Op>[i].argument == argument && kRules<Op>[i].property == property) return i;
  }
  return kNoRule;
}

constexpr Expectation kAccept{Verdict::kAccept, kNoRule};

class Oracle : public testing::Test {
 protected:
  ~Oracle() override { planted::g_bug = Bug::kNone; }

  Judgement judged(Bug bug, const Call& call, const Expectation& expect = {},
                   const JudgeOptions& options = {}) {
    planted::g_bug = bug;
    const Judgement judgement = judge<Op>(call, expect, options);
    planted::g_bug = Bug::kNone;
    door::set_current_device(0);
    return judgement;
  }
  std::string reason(Bug bug, const Call& call, const Expectation& expect = {}) {
    return std::string(to_string(judged(bug, call, expect).reason));
  }
};

TEST_F(Oracle, FindsNothingWrongWithTheCleanOp) {
  for (const Call& call : {valid_call(), valid_call(0), valid_call(32), without_out(valid_call()),
                           with_stride(valid_call(), 3), with_stride(valid_call(), 1 << 20)}) {
    const Judgement judgement = judged(Bug::kNone, call, kAccept);
    EXPECT_FALSE(judgement.is_finding()) << judgement.detail;
    EXPECT_TRUE(judgement.accepted);
    EXPECT_EQ(judgement.runs, 2);
    EXPECT_EQ(judgement.compared, 2 * call.values[0].tensor.shape[0]);
  }
}

TEST_F(Oracle, FindsNothingWrongWithACleanRejection) {
  const Expectation expect{Verdict::kReject, rule("in", "dtype")};
  const Judgement judgement = judged(Bug::kNone, with_dtype(valid_call(), kInt64), expect);
  EXPECT_FALSE(judgement.is_finding()) << judgement.detail;
  EXPECT_FALSE(judgement.accepted);
  EXPECT_EQ(judgement.rule, rule("in", "dtype"));
  EXPECT_EQ(judgement.door, door::Counts{});
  EXPECT_EQ(judgement.runs, 0);
  ASSERT_TRUE(judgement.explanation.has_value());
  EXPECT_EQ(judgement.explanation->message, "in must be u8, got torch.int64");
}

TEST_F(Oracle, FindsAnAcceptedBadCall) {
  const Call call = with_dtype(without_out(valid_call()), {DtypeCode::kInt, 8, 1});
  const Expectation expect{Verdict::kReject, rule("in", "dtype")};
  const Judgement judgement = judged(Bug::kAcceptsTooMuch, call, expect);
  EXPECT_EQ(judgement.reason, Reason::kAcceptedBadCall);
  EXPECT_EQ(judgement.detail, "must be rejected by planted.in.dtype");
  EXPECT_EQ(judgement.runs, 0) << "what must be rejected is not run";
  EXPECT_EQ(judged(Bug::kAcceptsTooMuch, call, {Verdict::kReject, kNoRule}).detail,
            "must be rejected");
}

TEST_F(Oracle, FindsARejectedGoodCall) {
  const Judgement judgement = judged(Bug::kRejectsTooMuch, valid_call(3), kAccept);
  EXPECT_EQ(judgement.reason, Reason::kRejectedGoodCall);
  EXPECT_EQ(judgement.detail, "rejected by planted.in.strict");
  EXPECT_EQ(reason(Bug::kRejectsTooMuch, valid_call(3)), "none") << "nobody knew better";
}

TEST_F(Oracle, FindsTheWrongRule) {
  const Expectation expect{Verdict::kReject, rule("in", "dtype")};
  const Judgement judgement =
      judged(Bug::kRejectsTooEarly, with_dtype(valid_call(), kInt64), expect);
  EXPECT_EQ(judgement.reason, Reason::kWrongRule);
  EXPECT_EQ(judgement.detail, "rejected by planted.in.early, not by planted.in.dtype");
  EXPECT_EQ(
      reason(Bug::kRejectsTooEarly, with_dtype(valid_call(), kInt64), {Verdict::kReject, kNoRule}),
      "none");
}

// A rule over one argument blames it by its id: no list of fields names another.
TEST_F(Oracle, FindsTheWrongArgument) {
  const Expectation expect{Verdict::kReject, rule("in", "dtype"), false, 1};
  const Judgement judgement = judged(Bug::kNone, with_dtype(valid_call(), kInt64), expect);
  EXPECT_EQ(judgement.reason, Reason::kWrongArgument);
  EXPECT_EQ(judgement.detail, "rejected by planted.in.dtype blames no argument, not out");
}

TEST_F(Oracle, FindsWorkBeforeARejection) {
  const Call bad = with_dtype(valid_call(), kInt64);
  for (const Bug bug : {Bug::kLaunchesFromARule, Bug::kAllocatesFromARule, Bug::kCopiesFromARule,
                        Bug::kSetsDeviceFromARule}) {
    EXPECT_EQ(reason(bug, bad), "reached_device") << static_cast<int>(bug);
  }
}

TEST_F(Oracle, FindsBadMessages) {
  for (const Bug bug : {Bug::kUnfinishedMessage, Bug::kEmptyMessage, Bug::kTwoLineMessage,
                        Bug::kMessageOfNoArgument}) {
    EXPECT_EQ(reason(bug, valid_call()), "bad_message") << static_cast<int>(bug);
  }
  const Judgement silent =
      judged(Bug::kUnfinishedMessage, valid_call(), {}, {.explain = Explain::kNever});
  EXPECT_FALSE(silent.is_finding());
  EXPECT_FALSE(silent.explanation.has_value());
}

TEST_F(Oracle, FindsAFailedLaunch) {
  for (const Call& call : {valid_call(), without_out(valid_call())}) {
    emulator::fail_next_launch();
    const Judgement judgement = judged(Bug::kNone, call);
    EXPECT_EQ(judgement.reason, Reason::kLaunchFailed);
    EXPECT_NE(judgement.detail.find("planted: launch failed"), std::string::npos);
    EXPECT_EQ(reason(Bug::kNone, call), "none") << "the next one is not disturbed";
  }
}

TEST_F(Oracle, FindsAFailedAllocation) {
  emulator::set_allocation_limit(0);
  const Judgement judgement = judged(Bug::kNone, without_out(valid_call()));
  emulator::set_allocation_limit(emulator::kDefaultAllocationLimit);
  EXPECT_EQ(judgement.reason, Reason::kLaunchFailed);
  EXPECT_NE(judgement.detail.find("planted: allocate failed"), std::string::npos);
}

TEST_F(Oracle, FindsThatNothingWasLaunched) {
  EXPECT_EQ(reason(Bug::kLaunchesNothing, valid_call()), "nothing_launched");
  EXPECT_EQ(reason(Bug::kLaunchesNothing, valid_call(0)), "none") << "there was nothing to write";
}

TEST_F(Oracle, FindsADeviceThatWasNotRestored) {
  EXPECT_EQ(reason(Bug::kKeepsTheDevice, valid_call()), "device_not_restored");
  Call call = valid_call();
  call.current_device = 1;
  EXPECT_EQ(reason(Bug::kKeepsTheDevice, call), "none") << "it was the caller's";
}

TEST_F(Oracle, FindsAWrongResult) {
  const Judgement judgement = judged(Bug::kWrongElement, valid_call());
  EXPECT_EQ(judgement.reason, Reason::kWrongResult);
  EXPECT_EQ(judgement.detail, "out[2] is not in[1]");
  EXPECT_EQ(reason(Bug::kWrongElement, without_out(valid_call())), "wrong_result");
}

TEST_F(Oracle, FindsAnElementThatWasNotWritten) {
  int found = 0;
  for (std::uint32_t fill = 0; fill < 8; ++fill) {
    Call call = valid_call(1);
    call.fill = fill;
    found += judged(Bug::kSkipsElement, call).reason == Reason::kWrongResult;
  }
  EXPECT_EQ(found, 8) << "even of one byte: two fillings of memory do not agree by chance";
}

TEST_F(Oracle, FindsAChangedInput) {
  const Judgement judgement = judged(Bug::kChangesInput, valid_call());
  EXPECT_EQ(judgement.reason, Reason::kForeignByteChanged);
  EXPECT_EQ(judgement.detail.substr(0, 36), "byte 0 of buffer 0 (of 5 bytes) chan");
}

TEST_F(Oracle, FindsAForeignByte) {
  const Judgement judgement = judged(Bug::kWritesBetweenElements, with_stride(valid_call(), 3));
  EXPECT_EQ(judgement.reason, Reason::kForeignByteChanged);
  EXPECT_EQ(judgement.detail.substr(0, 25), "byte 1 of buffer 1 (of 13");
}

TEST_F(Oracle, FindsAMissingBarrierWithTwoOrders) {
  for (std::uint32_t fill = 0; fill < 4; ++fill) {
    Call call = valid_call(8);
    call.fill = fill;
    EXPECT_EQ(reason(Bug::kNoBarrier, call), "wrong_result") << fill;
  }
}

TEST_F(Oracle, LeavesOutOneRuleAndShowsWhatItIsFor) {
  const Call bad = with_dtype(valid_call(), {DtypeCode::kInt, 8, 1});
  const Expectation expect{Verdict::kReject, rule("in", "dtype")};
  const Judgement skipped = judged(Bug::kNone, bad, expect, {.without_rule = rule("in", "dtype")});
  EXPECT_EQ(skipped.reason, Reason::kWrongRule) << "out.matches is next";
  EXPECT_EQ(skipped.rule, rule("out", "matches"));
  const Judgement alone =
      judged(Bug::kNone, without_out(bad), expect, {.without_rule = rule("in", "dtype")});
  EXPECT_EQ(alone.reason, Reason::kAcceptedBadCall);
  const Judgement other =
      judged(Bug::kNone, bad, expect, {.without_rule = rule("out", "no_overlap")});
  EXPECT_EQ(other.reason, Reason::kNone);
}

TEST_F(Oracle, RunsNothingInTheValidateProfile) {
  const Judgement judgement =
      judged(Bug::kWrongElement, valid_call(), kAccept, {.profile = Profile::kValidate});
  EXPECT_FALSE(judgement.is_finding());
  EXPECT_EQ(judgement.runs, 0);
}

TEST_F(Oracle, RunsNothingThatIsTooLarge) {
  const Judgement judgement =
      judged(Bug::kWrongElement, valid_call(), kAccept, {.max_elements = 9});
  EXPECT_TRUE(judgement.accepted);
  EXPECT_FALSE(judgement.is_finding());
  EXPECT_EQ(judgement.runs, 0);
}

using OracleDeathTest = Oracle;

TEST_F(OracleDeathTest, AForeignReadEndsTheProcess) {
  if (!emulator::kPoisons) GTEST_SKIP() << "this tree is built without AddressSanitizer";
  EXPECT_DEATH(judged(Bug::kReadsPastInput, valid_call()), "AddressSanitizer");
}

TEST(MessageSampler, TakesEachRulesFirstFiringAndOneInAThousand) {
  MessageSampler sampler;
  EXPECT_TRUE(sampler.wants(Explain::kSampled, 3));
  for (int i = 1; i <= 5'000; ++i) {
    EXPECT_EQ(sampler.wants(Explain::kSampled, 3), i % 1000 == 0) << i;
  }
  EXPECT_TRUE(sampler.wants(Explain::kSampled, 4));
  EXPECT_FALSE(sampler.wants(Explain::kSampled, 4));
  EXPECT_TRUE(sampler.wants(Explain::kAlways, 3));
  EXPECT_FALSE(sampler.wants(Explain::kNever, 5));
  EXPECT_TRUE(sampler.wants(Explain::kSampled, 5)) << "not yet seen by the sample";
}

}  // namespace
}  // namespace prelaunch::fuzz
