// The guard that runs before anything is timed: the twins agree, and one that does not is named.
#include "bench/agreement.h"

#include <gtest/gtest.h>

#include "prelaunch_ops.h"

namespace prelaunch::bench {
namespace {

using Wrong = std::optional<std::string>;

TEST(Agreement, EveryTwinSaysWhatItsTableSays) {
  Ops::for_each([]<class Entry>() {
    using Op = typename Entry::Op;
    const Wrong wrong =
        first_disagreement<Op, typename Entry::Cases>(table_verdict<Op>, handwritten<Op>);
    EXPECT_EQ(wrong.value_or(""), "");
  });
}

TEST(Agreement, EveryRuleHasASoleViolation) {
  Ops::for_each([]<class Entry>() {
    using Op = typename Entry::Op;
    for (std::size_t rule = 0; rule < kRules<Op>.size(); ++rule) {
      const auto call = sole_violation_of<Op, typename Entry::Cases>(rule);
      EXPECT_TRUE(call.has_value()) << Op::kName << ": " << rule_name<Op>(rule);
    }
  });
}

// A twin that never sees rule kBlind.
template <class Op, std::size_t kBlind>
std::size_t blind(const typename Op::Args& args) {
  const std::size_t rule = handwritten<Op>(args);
  return rule == kBlind ? kNoRule : rule;
}

TEST(Agreement, ATwinThatMissesARuleIsNamedWithIt) {
  Ops::for_each([]<class Entry>() {
    using Op = typename Entry::Op;
    constexpr std::size_t kLast = kRules<Op>.size() - 1;
    const Wrong wrong =
        first_disagreement<Op, typename Entry::Cases>(table_verdict<Op>, blind<Op, kLast>);
    ASSERT_TRUE(wrong.has_value());
    EXPECT_TRUE(wrong->starts_with(std::string(Op::kName) + ": a sole violation of " +
                                   rule_name<Op>(kLast)))
        << *wrong;
  });
}

// Both may be wrong alike: what is known of a call counts more.
TEST(Agreement, TwoJudgesThatAcceptTheSameBadCallAreFound) {
  Ops::for_each([]<class Entry>() {
    using Op = typename Entry::Op;
    const Wrong wrong = first_disagreement<Op, typename Entry::Cases>(blind<Op, 1>, blind<Op, 1>);
    ASSERT_TRUE(wrong.has_value());
    EXPECT_NE(wrong->find(", expected " + rule_name<Op>(1)), wrong->npos) << *wrong;
  });
}

// Sole violations alone would not notice a twin that asks in another order.
TEST(Agreement, DrawnCallsOftenBreakSeveralRules) {
  Ops::for_each([]<class Entry>() {
    using Op = typename Entry::Op;
    Choices choose(kSeed);
    int several = 0;
    for (int i = 0; i < 1000; ++i) {
      const Call call = draw_edited<Op, typename Entry::Cases>(choose);
      const BoundCall<Op> bound(call);
      const std::size_t first = table_verdict<Op>(bound.args());
      if (first != kNoRule && check_without<Op>(bound.args(), first).broken() != kNoRule) ++several;
    }
    EXPECT_GT(several, 100);
  });
}

}  // namespace
}  // namespace prelaunch::bench
