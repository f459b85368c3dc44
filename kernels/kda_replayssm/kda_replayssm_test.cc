#include "kernels/kda_replayssm/kda_replayssm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/common/fault.h"
#include "kernels/emulator/op_test.h"
#include "kernels/kda_replayssm/cases.h"
#include "kernels/kda_replayssm/contract.h"

namespace prelaunch::kda_replayssm {
namespace {

using Suite = emulator::OpTest<Op, Cases>;

TEST(KdaReplayssm, EveryCaseIsAccepted) { Suite::expect_every_case_accepted(); }
TEST(KdaReplayssm, EverySmallCaseIsComputedRight) { Suite::expect_small_cases_right(1 << 13, 13); }
TEST(KdaReplayssm, DrawnCallsAreAcceptedAndComputedRight) { Suite::expect_draws_right(20, 500); }
TEST(KdaReplayssm, EveryEditBreaksItsRuleFirst) {
  Suite::expect_every_edit_breaks_its_rule_first(21);
}
TEST(KdaReplayssm, EveryRuleOfItsOwnHasAnEdit) { Suite::expect_every_own_rule_has_an_edit(60); }

// --- messages of the seeds
// -------------------------------------------------------------------------
TEST(KdaReplayssm, TheSeedsMessagesAreKept) {
  Call flush = make_call({"", 2, 1, 2, 8, 4, 3, 3}), pool = flush, length = flush, shape = flush;
  flush.values[kForceFlush].tensor.device = kCpuDevice;
  pool.values[kWritePos].tensor.device = kCpuDevice;
  for (const std::size_t i : {kD, kK, kG}) length.values[i].tensor.shape[2] = 0;
  shape.values[kG].tensor.shape[1] = 1;
  EXPECT_EQ(Suite::message(flush), "`force_flush` must be on the same device as the inputs.");
  EXPECT_EQ(Suite::message(pool), "ReplaySSM inputs must be on the same device.");
  EXPECT_EQ(Suite::blamed(pool), "write_pos");
  EXPECT_EQ(Suite::message(length), "ReplaySSM cache length must be at least 1.");
  EXPECT_EQ(Suite::message(shape), "`g_cache` must have shape [slots, HV, L, K].");
}

TEST(KdaReplayssm, DerivedShapesAreInTheMessages) {
  Call out = make_call({"", 2, 1, 2, 8, 4, 3, 3});
  out.values[kOut].tensor = compact(kBfloat16, cuda(0), kOut, {2, 1, 2, 5});
  EXPECT_EQ(Suite::message(out), "`out` must have shape (2, 1, 2, 4), got (2, 1, 2, 5).");
}

// --- layouts that the page accepts
// ------------------------------------------------------------------
TEST(KdaReplayssm, StridesOfSingleDimensionsMeanNothing) {
  Call call = make_call({"", 1, 1, 1, 8, 4, 2, 1});
  for (const std::size_t i : {kQkv, kB, kState, kD, kK, kG, kOut, kIndices, kWritePos}) {
    TensorSpec& t = call.values[i].tensor;
    for (std::size_t d = 0; d < static_cast<std::size_t>(t.rank); ++d) {
      if (t.shape[d] == 1) t.strides[d] = d % 2 == 0 ? -7 : INT64_MAX;
    }
  }
  Suite::expect_right(call, "single dimensions");
}

TEST(KdaReplayssm, InputsMayBeBroadcast) {
  Call call = make_call({"", 3, 1, 2, 8, 4, 3, 4});
  for (const std::size_t i : {kQkv, kB, kWritePos, kForceFlush}) {
    call.values[i].tensor.strides[0] = 0;
  }
  Suite::expect_right(call, "stride 0");
}

// --- guards
// ---------------------------------------------------------------------------------------- Three
// rows with slots 0, 1, 2 and cursor 1 each, but for what `slots` and `cursors` say.
Call guarded(std::initializer_list<Fill::At> slots, std::initializer_list<Fill::At> cursors) {
  Call call = make_call({"", 3, 1, 2, 4, 4, 3, 3});
  call.values[kForceFlush].absent = true;
  Fill& indices = call.values[kIndices].tensor.fill;
  indices.count = 3;
  indices.at = {{{0, 0}, {1, 1}, {2, 2}}};
  for (const Fill::At& at : slots) indices.at[static_cast<std::size_t>(at.element)] = at;
  Fill& write_pos = call.values[kWritePos].tensor.fill;
  write_pos = {.kind = Fill::Kind::kNumber, .count = 0, .number = 1, .at = {}};
  for (const Fill::At& at : cursors) write_pos.at[write_pos.count++] = at;
  // Every entry of the rings is live for some cursor.
  for (const std::size_t i : {kD, kK}) {
    call.values[i].tensor.fill = {.kind = Fill::Kind::kNumber, .count = 0, .number = 0.5, .at = {}};
  }
  call.values[kG].tensor.fill = {
      .kind = Fill::Kind::kNumber, .count = 0, .number = -0.25, .at = {}};
  return call;
}

// The word that the call leaves, on every run; all that verify() looks at is right as well.
std::uint64_t word_after(const Call& call) {
  std::set<std::uint64_t> words;
  for (const std::uint64_t order : {0u, 1u, 2u, 77u}) {
    emulator::CallMemory<Op> memory(call);
    const Args args = bind<Op>(call, memory.on_device(), door::device_count());
    const Check<Op> checked = check<Op>(args);
    EXPECT_TRUE(checked);
    emulator::set_order(order);
    EXPECT_TRUE(launch(checked.accepted(), nullptr).status.ok());
    emulator::set_order(0);
    const emulator::HostAccess access(args.fault);
    words.insert(static_cast<std::uint64_t>(integer(args.fault, {0})));
  }
  Suite::expect_right(call, "guarded");
  EXPECT_EQ(words.size(), 1u);
  return *words.begin();
}

TEST(KdaReplayssm, GuardsHoldAtTheirLimits) {
  struct Guarded {
    Call call;
    std::optional<Fault> fault;
  };
  const Guarded cases[] = {
      {guarded({}, {}), std::nullopt},
      {guarded({{1, -1}}, {{1, 99}}), std::nullopt},  // padding never faults
      {guarded({{0, -1}, {1, -1}}, {}), std::nullopt},
      {guarded({{1, 3}}, {}), Fault{1, FaultCode::kSlotOutOfRange}},
      {guarded({{1, 0x1p62}}, {}), Fault{1, FaultCode::kSlotOutOfRange}},
      {guarded({{2, 0}}, {}), Fault{2, FaultCode::kSlotDuplicated}},
      {guarded({{2, 1}}, {{1, 7}}), Fault{1, FaultCode::kCursorOutOfRange}},
      {guarded({{1, 0}, {2, 0}}, {{0, -1}}), Fault{0, FaultCode::kCursorOutOfRange}},
      {guarded({}, {{0, 3}}), Fault{0, FaultCode::kCursorOutOfRange}},
      {guarded({}, {{2, -1}}), Fault{2, FaultCode::kCursorOutOfRange}},
      {guarded({}, {{0, 2}, {1, 0}}), std::nullopt},
      {guarded({{1, 5}, {2, 5}}, {}), Fault{1, FaultCode::kSlotOutOfRange}}};
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(read_fault(word_after(cases[i].call)), cases[i].fault);
  }
}

TEST(KdaReplayssm, WithoutSlotsEveryRowThatIsNotPaddingFaults) {
  Call call = make_call({"", 2, 1, 2, 8, 4, 3, 0});
  call.values[kIndices].tensor.fill = {.kind = Fill::Kind::kNumber, .number = 0, .at = {}};
  EXPECT_EQ(read_fault(word_after(call)), (Fault{0, FaultCode::kSlotOutOfRange}));
}

// --- the tolerance sees what matters
// ---------------------------------------------------------------- Changes what a launch left, as a
// kernel with this fault would have.
template <class Spoil>
void expect_seen(const char* what, const Call& call, Spoil spoil) {
  int seen = 0, runs = 0;
  Call varied = call;
  for (varied.fill = 0; varied.fill < 20; ++varied.fill) {
    Suite::run(varied, [&](const Args& before, const Args& after) {
      ++runs;
      spoil(before);
      seen += verify(before, after).has_value();
    });
  }
  EXPECT_GT(seen, runs * 3 / 4) << what << ": " << seen << " of " << runs;
}

// An ordinary step with a ring of which most is live.
Call ordinary() {
  Call call = make_call({"", 2, 2, 4, 16, 16, 6, 2, kBfloat16, kFloat32, kBfloat16});
  call.values[kForceFlush].absent = true;
  call.values[kWritePos].tensor.fill = {.kind = Fill::Kind::kNumber, .number = 4, .at = {}};
  call.values[kIndices].tensor.fill = {
      .kind = Fill::Kind::kOrdinary, .count = 2, .number = 0, .at = {{{0, 0}, {1, 1}}}};
  call.values[kD].tensor.fill = {.kind = Fill::Kind::kNumber, .number = 0.5, .at = {}};
  call.values[kK].tensor.fill = {.kind = Fill::Kind::kNumber, .number = 0.25, .at = {}};
  call.values[kG].tensor.fill = {.kind = Fill::Kind::kNumber, .number = -0.125, .at = {}};
  return call;
}

void set_all(const TensorView& view, double number) {
  for (std::int64_t i = 0; i < view.elements; ++i) store(nth_element(view, i), view.dtype, number);
}

TEST(KdaReplayssm, PlantedErrorsAreSeen) {
  // The reference is given other inputs than the kernel had: what the kernel ignored or mistook.
  expect_seen("the state is ignored", ordinary(),
              [](const Args& before) { set_all(before.initial_state, 0); });
  expect_seen("the oldest ring entry is dropped", ordinary(), [](const Args& before) {
    for (std::int64_t v = 0; v < 16; ++v) {
      store(element(before.d_cache, {0, 0, 0, v}), before.d_cache.dtype, 0);
    }
  });
  expect_seen("the head group is wrong", ordinary(), [](const Args& before) {
    for (std::int64_t c = 0; c < 16; ++c) {  // q of head 0 and 1 change places
      std::byte* a = element(before.mixed_qkv, {0, c});
      std::byte* b = element(before.mixed_qkv, {0, 16 + c});
      std::swap_ranges(a, a + 2, b);
    }
  });
  expect_seen("beta is rounded up", ordinary(), [](const Args& before) {
    store(element(before.b, {0, 0}), before.b.dtype, value(before.b, {0, 0}) + 0.25);
  });
  expect_seen("a decay is missing", ordinary(), [](const Args& before) {
    for (std::int64_t c = 0; c < 16; ++c) {
      store(element(before.g_cache, {0, 0, 3, c}), before.g_cache.dtype, 0);
    }
  });
}

// --- a chain of steps
// --------------------------------------------------------------------------------- Against the
// plain recurrence, without rings: S <- S * e^g + delta k^T, from the same inputs.
TEST(KdaReplayssm, AChainOfStepsTracksThePlainRecurrence) {
  constexpr std::int64_t kL = 4, kK8 = 8, kV8 = 8;
  Call call = make_call({"", 1, 1, 1, kK8, kV8, kL, 1, kBfloat16, kFloat32, kBfloat16});
  call.values[kForceFlush].absent = true;
  emulator::CallMemory<Op> memory(call);
  const Args args = bind<Op>(call, memory.on_device(), door::device_count());
  std::vector<double> S(static_cast<std::size_t>(kK8 * kV8), 0);
  Choices choose(std::uint64_t{5});
  const auto uniform = [&choose] { return static_cast<double>(choose.below(2001)) / 1000 - 1; };
  {
    const emulator::HostAccess state(args.initial_state), cursor(args.write_pos),
        index(args.ssm_state_indices);
    set_all(args.initial_state, 0);
    set_all(args.write_pos, 0);
    set_all(args.ssm_state_indices, 0);
  }
  double worst_out = 0, largest_out = 0;
  for (int t = 0; t < 3 * kL; ++t) {
    std::vector<double> out(static_cast<std::size_t>(kV8));
    std::int64_t cursor = 0;
    {
      std::array<std::optional<emulator::HostAccess>, kMaxFields> access;
      std::size_t n = 0;
      for_each_tensor<Op>(args, [&](const auto&, const TensorView& view) {
        if (view.given) access[n++].emplace(view);
      });
      for (const TensorView* view :
           {&args.mixed_qkv, &args.a, &args.b, &args.A_log, &args.dt_bias}) {
        for (std::int64_t i = 0; i < view->elements; ++i) {
          store(nth_element(*view, i), view->dtype, uniform());
        }
      }
      cursor = integer(args.write_pos, {0});
      std::vector<double> q, k, g;
      double qq = 0, kk = 0;
      for (std::int64_t c = 0; c < kK8; ++c) {
        q.push_back(value(args.mixed_qkv, {0, c}));
        k.push_back(value(args.mixed_qkv, {0, kK8 + c}));
        qq += q.back() * q.back();
        kk += k.back() * k.back();
        const double x = value(args.a, {0, c}) + value(args.dt_bias, {c});
        g.push_back(-std::exp(value(args.A_log, {0})) * std::log1p(std::exp(x)));
      }
      const double beta = 1 / (1 + std::exp(-value(args.b, {0, 0})));
      for (std::size_t c = 0; c < q.size(); ++c) {
        q[c] *= 0.25 / std::sqrt(qq + 1e-6);
        k[c] /= std::sqrt(kk + 1e-6);
      }
      for (std::int64_t v = 0; v < kV8; ++v) {
        double* row = S.data() + v * kK8;
        double predicted = 0;
        for (std::size_t c = 0; c < k.size(); ++c) {
          row[c] *= std::exp(g[c]);
          predicted += row[c] * k[c];
        }
        const double delta = beta * (value(args.mixed_qkv, {0, 2 * kK8 + v}) - predicted);
        for (std::size_t c = 0; c < k.size(); ++c) {
          row[c] += delta * k[c];
          out[static_cast<std::size_t>(v)] += row[c] * q[c];
        }
      }
    }
    const Check<Op> checked = check<Op>(args);
    ASSERT_TRUE(checked);
    ASSERT_TRUE(launch(checked.accepted(), nullptr).status.ok());
    const emulator::HostAccess out_access(args.out), cursor_access(args.write_pos);
    for (std::int64_t v = 0; v < kV8; ++v) {
      const double expected = out[static_cast<std::size_t>(v)];
      worst_out = std::max(worst_out, std::abs(value(args.out, {0, 0, 0, v}) - expected));
      largest_out = std::max(largest_out, std::abs(expected));
    }
    store(element(args.write_pos, {0}), kInt32, cursor == kL - 1 ? 0 : double(cursor + 1));
  }
  EXPECT_LE(worst_out, 3e-2 * largest_out);
  // 3 L steps end with a flush: the checkpoint is the state.
  const emulator::HostAccess state(args.initial_state);
  double worst = 0, largest = 0;
  for (std::int64_t i = 0; i < kK8 * kV8; ++i) {
    const double expected = S[static_cast<std::size_t>(i)];
    worst =
        std::max(worst, std::abs(load(nth_element(args.initial_state, i), kFloat32) - expected));
    largest = std::max(largest, std::abs(expected));
  }
  EXPECT_LE(worst, 2e-2 * largest);
}

}  // namespace
}  // namespace prelaunch::kda_replayssm
