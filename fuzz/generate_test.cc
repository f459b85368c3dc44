// What the generator says about a call is what the contract says.
#include "fuzz/generate.h"

#include <gtest/gtest.h>

#include <set>

#include "fuzz/codec.h"
#include "fuzz/json.h"

namespace prelaunch::fuzz {
namespace {

const OpInfo& pack() { return *find_op("ulysses_pack"); }

std::string text(const OpInfo& op, Call call, const Expectation& expect) {
  canonical(op, call);
  return format_call(op, {"", "", call, expect});
}

struct Drawn {
  int valid = 0, violations = 0, wild = 0;
  std::set<std::size_t> broken;  // rules that were expected to fire
};

// Draws calls and holds each against the contract.
Drawn draw(const OpInfo& op, int calls) {
  Choices choose(1);
  Drawn drawn;
  for (int i = 0; i < calls; ++i) {
    Call call;
    const Expectation expect = op.generate(choose, call);
    const Judgement judgement =
        op.judge(call, expect, {.profile = Profile::kValidate, .explain = Explain::kNever});
    EXPECT_FALSE(judgement.is_finding()) << judgement.detail << text(op, call, expect);
    if (judgement.is_finding()) break;
    drawn.valid += expect.verdict == Verdict::kAccept;
    drawn.violations += expect.verdict == Verdict::kReject;
    drawn.wild += expect.verdict == Verdict::kUnknown;
    if (expect.verdict == Verdict::kReject) drawn.broken.insert(expect.rule);
  }
  return drawn;
}

TEST(Generate, KnownVerdictsAreTheContractsAndTheirSharesAreKept) {
  constexpr int kCalls = 20'000;
  for (const OpInfo* op : all_ops()) {
    const Drawn drawn = draw(*op, kCalls);
    EXPECT_GE(drawn.valid, kCalls * 45 / 100) << op->name;
    EXPECT_GE(drawn.violations, kCalls * 45 / 100) << op->name;
    EXPECT_GE(drawn.wild, kCalls * 2 / 100) << op->name;
  }
}

TEST(Generate, EveryRuleIsBroken) {
  for (const OpInfo* op : all_ops()) {
    const Drawn drawn = draw(*op, 100'000);
    for (std::size_t rule = 0; rule < op->rules.size(); ++rule) {
      EXPECT_TRUE(drawn.broken.contains(rule)) << numbered_id(*op, rule) << " is never broken";
    }
  }
}

TEST(Generate, TheSecondByteDecidesTheKind) {
  for (unsigned kind = 0; kind < 256; ++kind) {
    Call call;
    const std::uint8_t bytes[] = {1, static_cast<std::uint8_t>(kind), 3, 5, 2};
    const Verdict verdict = decode(pack(), bytes, call).verdict;
    EXPECT_EQ(verdict, kind % 64 >= 62 ? Verdict::kUnknown
                       : kind % 2 == 1 ? Verdict::kReject
                                       : Verdict::kAccept)
        << kind;
  }
}

TEST(Generate, AcceptedCallsRunClean) {
  Choices choose(2);
  int ran = 0, wrote = 0;
  while (ran < 2'000) {
    Call call;
    const Expectation expect = pack().generate(choose, call);
    if (expect.verdict != Verdict::kAccept) continue;
    const Judgement judgement = pack().judge(call, expect, {});
    ASSERT_FALSE(judgement.is_finding()) << judgement.detail << text(pack(), call, expect);
    ASSERT_EQ(judgement.runs, 2) << text(pack(), call, expect);
    wrote += judgement.compared > 0;
    ++ran;
  }
  EXPECT_GT(wrote, 1'000);
}

TEST(Generate, ValidCallsVaryInWhatDoesNotMatter) {
  Choices choose(3);
  bool other_device = false, away = false, null_strides = false, given_strides = false;
  for (int i = 0; i < 200; ++i) {
    Call call;
    if (pack().generate(choose, call).verdict != Verdict::kAccept) continue;
    const TensorSpec& q = call.values[0].tensor;
    other_device |= q.device.index == 1;
    away |= q.device.index != call.current_device;
    null_strides |= q.null_strides;
    given_strides |= !q.null_strides;
  }
  EXPECT_TRUE(other_device && away && null_strides && given_strides);
}

TEST(Generate, OnlyCompactStridesBecomeNull) {
  TensorSpec t = compact(kFloat32, cuda(0), 0, {2, 1, 3});
  t.strides[1] = 77;  // of a dimension of size 1
  nullify_compact_strides(t);
  EXPECT_TRUE(t.null_strides);
  t = compact(kFloat32, cuda(0), 0, {2, 3});
  t.strides[0] = 4;
  nullify_compact_strides(t);
  EXPECT_FALSE(t.null_strides);
  EXPECT_EQ(t.strides[0], 4);
}

}  // namespace
}  // namespace prelaunch::fuzz
