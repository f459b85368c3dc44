// What the generator says about a call is what the contract says.
#include "fuzz/generate.h"

#include <gtest/gtest.h>

#include <set>

#include "fuzz/codec.h"
#include "fuzz/json.h"

namespace prelaunch::fuzz {
namespace {

const OpInfo& pack() { return *find_op("ulysses_pack"); }

std::string text(Call call, const Expectation& expect) {
  canonical(pack(), call);
  return format_call(pack(), {"", "", call, expect});
}

TEST(Generate, KnownVerdictsAreTheContracts) {
  constexpr int kCalls = 50'000;
  Choices choose(1);
  std::set<std::size_t> expected;
  int valid = 0;
  for (int i = 0; i < kCalls; ++i) {
    Call call;
    const Expectation expect = pack().generate(choose, call);
    ASSERT_NE(expect.verdict, Verdict::kUnknown);
    const Judgement judgement =
        pack().judge(call, expect, {.profile = Profile::kValidate, .explain = Explain::kNever});
    ASSERT_FALSE(judgement.is_finding()) << judgement.detail << text(call, expect);
    ASSERT_EQ(judgement.accepted, expect.verdict == Verdict::kAccept);
    valid += judgement.accepted;
    if (!judgement.accepted) expected.insert(expect.rule);
  }
  EXPECT_GE(valid, kCalls * 45 / 100);
  EXPECT_LE(valid, kCalls * 70 / 100);
  for (std::size_t rule = 0; rule < pack().rules.size(); ++rule) {
    EXPECT_TRUE(expected.contains(rule)) << full_id(pack(), rule) << " is never broken";
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
    ASSERT_FALSE(judgement.is_finding()) << judgement.detail << text(call, expect);
    ASSERT_EQ(judgement.runs, 2) << text(call, expect);
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
