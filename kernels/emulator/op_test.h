// What the unit test of every op checks, whatever the op: the verdict on its cases, draws and
// edits, and the results of its kernel in the emulator against its reference.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <string>

#include "kernels/common/door.h"
#include "kernels/common/explain.h"
#include "kernels/common/sole_violation.h"
#include "kernels/emulator/call_memory.h"
#include "kernels/emulator/grid.h"

namespace prelaunch::emulator {

template <class Op, class Cases>
struct OpTest {
  using Args = typename Op::Args;
  static constexpr std::uintptr_t kSomewhere = std::uintptr_t{1} << 40;

  static std::string id(std::size_t rule) {
    if (rule == kNoRule) return "accepted";
    return std::string(kRules<Op>[rule].argument) + "." + std::string(kRules<Op>[rule].property);
  }

  // Lets the host read and write what a call's tensors hold, while it lives.
  class Readable {
   public:
    explicit Readable(const Args& args) {
      std::size_t i = 0;
      for_each_tensor<Op>(args, [&](const auto&, const TensorView& view) {
        if (view.given) access_[i++].emplace(view);
      });
    }

   private:
    std::array<std::optional<HostAccess>, kMaxFields> access_;
  };

  // At addresses that are only numbers: nothing can be run.
  static Args args_of(const Call& call) {
    return bind<Op>(call, place_buffers(call, tensor_fields<Op>(), kSomewhere), {2});
  }
  static std::string verdict(const Call& call) {
    const Args args = args_of(call);
    return id(check<Op>(args).broken());
  }
  static Explanation explanation(const Call& call) {
    const Args args = args_of(call);
    const Check<Op> checked = check<Op>(args);
    return checked ? Explanation{"accepted", "accepted", "", ""} : explain(checked);
  }
  static std::string message(const Call& call) { return explanation(call).message; }
  static std::string blamed(const Call& call) { return explanation(call).argument; }

  // Runs the call under some orders of threads (order.h); each time `look(before, after)` sees the
  // arguments as they were and as the launch left them, both readable here.
  template <class Look>
  static void run(const Call& call, Look look,
                  std::initializer_list<std::uint64_t> orders = {0, 7}) {
    for (const std::uint64_t order : orders) {
      CallMemory<Op> memory(call);
      const Args args = bind<Op>(call, memory.on_device(), door::device_count());
      const Check<Op> checked = check<Op>(args);
      ASSERT_TRUE(checked) << explain(checked).message;
      set_order(order);
      const auto launched = launch(checked.accepted(), nullptr);
      set_order(0);
      ASSERT_TRUE(launched.status.ok()) << launched.status.message();
      {
        const Readable readable(launched.args);
        look(bind<Op>(call, memory.before(), door::device_count()), launched.args);
      }
      release_allocated(args, launched.args);
    }
  }

  static void expect_right(const Call& call, const std::string& what) {
    run(call, [&what](const Args& before, const Args& after) {
      const auto wrong = verify(before, after);
      EXPECT_FALSE(wrong.has_value()) << what << ": " << wrong.value_or("");
    });
  }

  static std::int64_t elements_of(const Call& call) {
    std::int64_t elements = 0;
    const Args args = args_of(call);
    for_each_tensor<Op>(args,
                        [&](const auto&, const TensorView& view) { elements += view.elements; });
    return elements;
  }

  static void expect_every_case_accepted() {
    for (const auto& of : Cases::kCases) {
      EXPECT_EQ(verdict(Cases::make_call(of)), "accepted") << of.name;
    }
  }

  // Those of at most `most` elements; there must be `least` of them.
  static void expect_small_cases_right(std::int64_t most, int least) {
    int small = 0;
    for (const auto& of : Cases::kCases) {
      const Call call = Cases::make_call(of);
      if (elements_of(call) > most) continue;
      expect_right(call, std::string(of.name));
      ++small;
    }
    EXPECT_GE(small, least);
  }

  static void expect_draws_right(std::uint64_t seed, int count) {
    Choices choose(seed);
    for (int i = 0; i < count; ++i) {
      Call call = Cases::make_call(Cases::draw_case(choose));
      call.fill = static_cast<std::uint32_t>(i);
      expect_right(call, "draw " + std::to_string(i));
      if (testing::Test::HasFailure()) return;
    }
  }

  static void expect_every_edit_breaks_its_rule_first(std::uint64_t seed) {
    Choices choose(seed);
    for (const Violation& violation : Cases::kViolations) {
      int applied = 0;
      for (int i = 0; i < 300; ++i) {
        Call call = Cases::make_call(Cases::draw_case(choose));
        if (!violation.edit(call, choose)) continue;
        ++applied;
        ASSERT_EQ(verdict(call), violation.rule);
      }
      EXPECT_GT(applied, 0) << violation.rule;
    }
  }

  static void expect_launched_on_the_tensors_device(Call call) {
    for (std::size_t i = 0; i < Op::kFields.size(); ++i) call.values[i].tensor.device = cuda(1);
    door::set_current_device(0);
    expect_right(call, "tensors on cuda:1");
    EXPECT_EQ(door::current_device(), 0);
  }

  // `call`, a good one, whose launch is made to fail: nothing is left allocated.
  static void expect_a_failed_launch_named(const Call& call) {
    CallMemory<Op> memory(call);
    const Args args = bind<Op>(call, memory.on_device(), door::device_count());
    const Check<Op> checked = check<Op>(args);
    ASSERT_TRUE(checked) << explain(checked).message;
    fail_next_launch();
    const auto launched = launch(checked.accepted(), nullptr);
    EXPECT_TRUE(launched.status.message().starts_with(std::string(Op::kName) +
                                                      ": launch failed: cudaError"))
        << launched.status.message();
    for_each_tensor<Op>(launched.args, [&args](const auto& field, const TensorView& view) {
      if (!field.tensor(args)->given) EXPECT_FALSE(view.given) << field.name;
    });
  }

  // `own`: how many rules the op's page lists beside the well-formed ones.
  static void expect_every_own_rule_has_an_edit(std::size_t own) {
    std::set<std::string> edited;
    for (const Violation& violation : Cases::kViolations) edited.emplace(violation.rule);
    constexpr std::size_t kWellFormed = 8 * detail::kTensors<Op>;
    ASSERT_EQ(kRules<Op>.size(), kWellFormed + own);
    for (std::size_t i = kWellFormed; i < kRules<Op>.size(); ++i) {
      EXPECT_EQ(edited.count(id(i)), 1u) << id(i);
    }
  }

 private:
  static void release_allocated(const Args& before, const Args& after) {
    for_each_tensor<Op>(before, [&](const auto& field, const TensorView& view) {
      const TensorView& now = *field.tensor(after);
      if (view.given || !now.given || now.address == 0) return;
      EXPECT_TRUE(door::release(reinterpret_cast<void*>(now.address), nullptr).ok());
    });
  }
};

}  // namespace prelaunch::emulator
