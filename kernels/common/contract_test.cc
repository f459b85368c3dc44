// The rule table of a made-up op, and what the checker makes of it.
#include "kernels/common/contract.h"

#include <gtest/gtest.h>

#include <concepts>
#include <cstdlib>
#include <new>

#include "kernels/common/check.h"
#include "kernels/common/choices.h"
#include "kernels/common/sample_op.h"
#include "kernels/common/test_views.h"

// Counts what this program allocates.
static std::size_t allocations = 0;

void* operator new(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace prelaunch::testing {
namespace {

using sample::Args;
using sample::Op;
constexpr auto& kTable = kRules<Op>;
// Three tensors of eight well-formed rules.
constexpr std::size_t kOwn = 24;

constexpr Args good() {
  Args args;
  args.x = at(4096, kFloat32, {4}, {1});
  args.y = at(8192, kFloat32, {4}, {1});
  args.out = at(16384, kFloat32, {1, 4}, {4, 1});
  return args;
}

// Index of the first broken rule; `args` may be a temporary here, as nothing is kept.
std::size_t broken(const Args& args) { return check<Op>(args).broken(); }

constexpr std::size_t index_of(std::string_view argument, std::string_view property) {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (kTable[i].argument == argument && kTable[i].property == property) return i;
  }
  return kNoRule;
}

// A stand-in for an op's launch.
int launch(const Accepted<Op>& call) { return call.args().count > 0 ? 1 : 0; }

template <class Given>
concept Launches = requires(Given given) { launch(given); };
template <class Given>
concept Checks = requires(Given&& given) { check<Op>(std::forward<Given>(given)); };

static_assert(Launches<Accepted<Op>>);
static_assert(!Launches<Args> && !Launches<const Args&> && !Launches<Check<Op>>);
static_assert(Checks<Args&> && Checks<const Args&>);
static_assert(!Checks<Args> && !Checks<const Args>, "the verdict would borrow a temporary");
static_assert(!std::default_initializable<Accepted<Op>>);
static_assert(!std::constructible_from<Accepted<Op>, const Args&>);
static_assert(!std::constructible_from<Accepted<Op>, Check<Op>>);
static_assert(!std::default_initializable<Check<Op>>);
static_assert(!std::constructible_from<Check<Op>, const Args&, std::size_t>);
static_assert(!std::convertible_to<Check<Op>, bool>, "only where a condition is meant");

TEST(Contract, TheTableHasTheWellFormedRulesOfEachTensorInFieldOrderAndThenItsOwn) {
  constexpr std::string_view properties[] = {"present", "rank", "dtype_width",  "shape",
                                             "strides", "size", "device_index", "data"};
  static_assert(kTable.size() == kOwn + 7);
  std::size_t i = 0;
  for (const std::string_view argument : {"x", "y", "out"}) {
    for (const std::string_view property : properties) {
      EXPECT_EQ(kTable[i].argument, argument);
      EXPECT_EQ(kTable[i].property, property);
      EXPECT_EQ(kTable[i].kind, kSafety);
      ++i;
    }
  }
  static_assert(kTable[kOwn].argument == "xy" && kTable[kOwn].property == "same_shape");
  static_assert(kTable.back().argument == "out" && kTable.back().property == "no_overlap");
}

TEST(Contract, AnIdIsCutAtItsFirstDot) {
  constexpr Rule<Args> rule{"a.b.c", kPolicy, "text", [](const Args&) { return true; }, "because"};
  static_assert(rule.argument == "a" && rule.property == "b.c" && rule.why == "because");
  static_assert(to_string(rule.kind) == "policy" && to_string(kSafety) == "safety");
  static_assert(to_string(kSemantics) == "semantics");
}

TEST(Contract, ARuleIsBrokenByAFalseAnswerOrByAnOffender) {
  Args args = good();
  EXPECT_FALSE(kTable[index_of("count", "positive")].broken_by(args));
  EXPECT_FALSE(kTable[index_of("xy", "cuda")].broken_by(args));
  args.count = 0;
  args.y.device = kCpuDevice;
  EXPECT_TRUE(kTable[index_of("count", "positive")].broken_by(args));
  EXPECT_TRUE(kTable[index_of("xy", "cuda")].broken_by(args));
}

TEST(Contract, AnAcceptedCallHandsOnTheArgumentsThatWereChecked) {
  const Args args = good();
  const Check<Op> checked = check<Op>(args);
  ASSERT_TRUE(checked);
  EXPECT_EQ(checked.broken(), kNoRule);
  EXPECT_EQ(&checked.accepted().args(), &args);
  EXPECT_EQ(launch(checked.accepted()), 1);
}

TEST(Contract, ARequiredTensorIsGivenAndAnOptionalOneMayBeAbsent) {
  Args args = good();
  args.out = {};
  EXPECT_EQ(broken(args), kNoRule);
  args.y = {};
  EXPECT_EQ(broken(args), index_of("y", "present"));
  args.x = {};
  EXPECT_EQ(broken(args), index_of("x", "present"));
  EXPECT_EQ(broken(Args{}), 0u);
}

TEST(Contract, AFlawIsTheRuleOfItsName) {
  for (std::size_t flaw = 1; flaw <= 8; ++flaw) {
    Args args = good();
    args.out.flaw = static_cast<Flaw>(flaw);
    EXPECT_EQ(broken(args), 16 + flaw - 1);
    args.y.flaw = static_cast<Flaw>(flaw);
    EXPECT_EQ(broken(args), 8 + flaw - 1);
    args.x.flaw = static_cast<Flaw>(flaw);
    EXPECT_EQ(broken(args), flaw - 1);
  }
}

TEST(Contract, AnOptionalTensorWithANullShapeIsNotPresent) {
  Args args = good();
  Descriptor from = kGood;
  from.rank = 2;
  args.out = TensorView::from(from, kDevices);
  EXPECT_EQ(broken(args), index_of("out", "present"));
}

TEST(Contract, TheFirstBrokenRuleWins) {
  Args args = good();
  args.out = args.x;
  EXPECT_EQ(broken(args), index_of("out", "rows"));
  args.out = at(4096, kFloat32, {1, 4}, {4, 1});
  EXPECT_EQ(broken(args), index_of("out", "no_overlap"));
  args.out.strides[1] = 0;
  args.out.contiguous = false;
  EXPECT_EQ(broken(args), index_of("out", "no_self_overlap"));
  args.limit = -1.0f;
  EXPECT_EQ(broken(args), index_of("limit", "range"));
  args.count = 0;
  EXPECT_EQ(broken(args), index_of("count", "positive"));
  args.x.device = args.y.device = kCpuDevice;
  EXPECT_EQ(broken(args), index_of("xy", "cuda"));
  args.y.rank = 0;
  EXPECT_EQ(broken(args), index_of("xy", "same_shape"));
  args.out.flaw = Flaw::kData;
  EXPECT_EQ(broken(args), index_of("out", "data"));
}

TEST(Contract, CheckingWithoutTheBrokenRuleFindsTheNext) {
  Args args = good();
  args.count = -1;
  args.out.flaw = Flaw::kSize;
  const std::size_t first = index_of("out", "size"), second = index_of("count", "positive");
  EXPECT_EQ(check_without<Op>(args, kNoRule).broken(), first);
  EXPECT_EQ(check_without<Op>(args, second).broken(), first);
  EXPECT_EQ(check_without<Op>(args, first).broken(), second);
  args.count = 1;
  EXPECT_TRUE(check_without<Op>(args, first));
}

// Random calls, several rules broken at once.
TEST(Contract, TheFoldOverTheTableFindsWhatALoopFinds) {
  Choices choose(7);
  std::size_t rejected = 0;
  for (int i = 0; i < 10'000; ++i) {
    Args args = good();
    for (TensorView* view : {&args.x, &args.y, &args.out}) {
      if (choose.one_in(8)) view->flaw = static_cast<Flaw>(choose.below(9));
      if (choose.one_in(8)) *view = {};
      if (choose.one_in(8)) view->device = kCpuDevice;
    }
    args.count = choose.one_in(4) ? 0 : 1;
    if (choose.one_in(4)) args.limit = choose.one_in(2) ? -1.0f : 1.0f;
    EXPECT_EQ(broken(args), check_without<Op>(args, kNoRule).broken());
    rejected += broken(args) != kNoRule;
  }
  EXPECT_GT(rejected, 3'000u);
  EXPECT_LT(rejected, 9'900u);
}

TEST(Contract, JudgingACallAllocatesNothing) {
  const Args accepted = good();
  Args rejected = good();
  rejected.out.flaw = Flaw::kData;
  Args crossing = good();
  crossing.out = at(4092, kFloat32, {1, 4}, {9, 2});
  const std::size_t before = allocations;
  const bool verdicts[] = {bool(check<Op>(accepted)), bool(check<Op>(rejected)),
                           bool(check<Op>(crossing)), bool(check_without<Op>(rejected, 3))};
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(verdicts[0]);
  EXPECT_FALSE(verdicts[1] || verdicts[2] || verdicts[3]);
  ::operator delete(::operator new(1));
  EXPECT_GT(allocations, before) << "the count sees nothing";
}

}  // namespace
}  // namespace prelaunch::testing
