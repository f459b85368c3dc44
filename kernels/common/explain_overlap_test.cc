// When an overlap rule says 'may overlap': only where nothing was shown to overlap.
#include <gtest/gtest.h>

#include "kernels/common/check.h"
#include "kernels/common/explain.h"
#include "kernels/common/sample_op.h"
#include "kernels/common/test_views.h"

namespace prelaunch::testing {
namespace {

using sample::Args;
using sample::Op;
constexpr const char* kSuffix = " (may overlap: not decided in 1000000 steps)";

Args apart() {
  Args args;
  args.x = at(4096, kFloat32, {4}, {1});
  args.y = at(8192, kFloat32, {4}, {1});
  return args;
}

Explanation about(const char* argument, const char* property, const Args& args,
                  const TensorView* blamed = nullptr) {
  return explain(Op::kName, {argument, property, "text"}, arguments_of<Op>(args), {}, blamed);
}

TEST(ExplainOverlap, AnUndecidedPairMayOverlap) {
  Args args = apart();
  args.x = hard_a();
  args.out = hard_b();
  ASSERT_EQ(overlap(args.x, args.out), Overlap::kUndecided);
  EXPECT_EQ(about("out", "no_overlap", args).message, std::string("text") + kSuffix);
  EXPECT_EQ(about("outputs", "no_overlap", args, &args.out).message, std::string("text") + kSuffix);
  EXPECT_EQ(about("outputs", "no_overlap", args).message, std::string("text") + kSuffix);
  EXPECT_EQ(about("inputs", "no_overlap", args, &args.x).message, std::string("text") + kSuffix);
}

TEST(ExplainOverlap, AnUndecidedViewMayOverlapItself) {
  Args args = apart();
  args.out = hard_alone();
  ASSERT_EQ(self_overlap(args.out), Overlap::kUndecided);
  EXPECT_EQ(about("out", "no_self_overlap", args).message, std::string("text") + kSuffix);
}

TEST(ExplainOverlap, ASharedByteIsSaidWithoutAMay) {
  Args args = apart();
  args.out = at(4096, kFloat32, {1, 4}, {4, 1});
  const Check<Op> checked = check<Op>(args);
  const Explanation out = explain(checked);
  EXPECT_EQ(out.rule, "sample.out.no_overlap");
  EXPECT_EQ(out.message, "out must not overlap x or y");
  args.out = at(16384, kFloat32, {1, 4}, {4, 0});
  EXPECT_EQ(explain(check<Op>(args)).message, "out must address every element once");
}

// y is written too and does overlap x; the rule is about out, which was not decided.
TEST(ExplainOverlap, APairWithoutTheBlamedArgumentSaysNothing) {
  Args args = apart();
  args.x = hard_a();
  args.y = at(hard_a().address, kUInt8, {4}, {1});
  args.out = hard_b();
  ASSERT_EQ(overlap(args.x, args.y), Overlap::kShared);
  ASSERT_EQ(overlap(args.out, args.y), Overlap::kDisjoint);
  EXPECT_EQ(about("out", "no_overlap", args).message, std::string("text") + kSuffix);
  EXPECT_EQ(about("y", "no_overlap", args).message, "text");
}

TEST(ExplainOverlap, OneSharedPairIsEnoughToSayItWithoutAMay) {
  Args args = apart();
  args.x = hard_a();
  args.y = at(hard_b().address, kUInt8, {1}, {1});
  args.out = hard_b();
  EXPECT_EQ(about("out", "no_overlap", args).message, "text");
}

TEST(ExplainOverlap, OtherRulesNeverSayIt) {
  Args args = apart();
  args.x = hard_a();
  args.out = hard_b();
  EXPECT_EQ(about("out", "matches", args).message, "text");
}

}  // namespace
}  // namespace prelaunch::testing
