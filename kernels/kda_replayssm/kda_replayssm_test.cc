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

// --- messages of the seeds -----------------------------------------------------------------------

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

// --- layouts that the page accepts ---------------------------------------------------------------

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

TEST(KdaReplayssm, ACaseAtACursorRunsEveryRow) {
  const Call call = make_call(at_cursor(2, {"", 6, 1, 2, 4, 4, 3, 6}));
  Suite::run(call, [](const Args& before, const Args&) {
    for (std::int64_t b = 0; b < 6; ++b) {
      EXPECT_GE(integer(before.ssm_state_indices, {b}), 0);
      EXPECT_EQ(integer(before.write_pos, {b}), 2);
    }
  });
  Suite::expect_right(call, "every row flushes");
}

// --- guards --------------------------------------------------------------------------------------

// Three rows with slots 0, 1, 2 and cursor 1 each, but for what `slots` and `cursors` say.
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

// --- the tolerance sees what matters -------------------------------------------------------------

// Hands the reference other inputs than the kernel had: what the kernel ignored or mistook.
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

// --- a chain of steps ----------------------------------------------------------------------------

// One value head of one row of the plain recurrence, which knows no rings:
// S <- S * e^g + delta k^T.
struct Head {
  std::int64_t b, hv, h;
  std::vector<double> S;  // [V, K]
};

// What a step gives a head: q scaled, k and g, [K] each, and beta.
struct Step {
  std::vector<double> q, k, g;
  double beta;
};

Step step_of(const Args& args, const Head& head) {
  const std::int64_t K = args.k_cache.shape[3], k_at = args.k_cache.shape[1] * K;
  const double decay = std::exp(value(args.A_log, {head.hv}));
  Step step{
      .q = {}, .k = {}, .g = {}, .beta = 1 / (1 + std::exp(-value(args.b, {head.b, head.hv})))};
  double qq = 1e-6, kk = 1e-6;
  for (std::int64_t c = 0; c < K; ++c) {
    step.q.push_back(value(args.mixed_qkv, {head.b, head.h * K + c}));
    step.k.push_back(value(args.mixed_qkv, {head.b, k_at + head.h * K + c}));
    qq += step.q.back() * step.q.back();
    kk += step.k.back() * step.k.back();
    const double x =
        value(args.a, {head.b, head.hv * K + c}) + value(args.dt_bias, {head.hv * K + c});
    step.g.push_back(-decay * std::log1p(std::exp(x)));
  }
  for (double& q : step.q) q *= static_cast<double>(args.scale) / std::sqrt(qq);
  for (double& k : step.k) k /= std::sqrt(kk);
  return step;
}

// Advances the state of a head and gives its out, [V].
std::vector<double> advance(const Args& args, Head& head) {
  const Step step = step_of(args, head);
  const std::int64_t V = args.d_cache.shape[3],
                     v_at = 2 * args.k_cache.shape[1] * args.k_cache.shape[3];
  std::vector<double> out;
  double* row = head.S.data();
  for (std::int64_t v = 0; v < V; ++v, row += step.k.size()) {
    double predicted = 0, o = 0;
    for (std::size_t c = 0; c < step.k.size(); ++c) {
      row[c] *= std::exp(step.g[c]);
      predicted += row[c] * step.k[c];
    }
    const double input = value(args.mixed_qkv, {head.b, v_at + head.hv * V + v});
    const double delta = step.beta * (input - predicted);
    for (std::size_t c = 0; c < step.k.size(); ++c) {
      row[c] += delta * step.k[c];
      o += row[c] * step.q[c];
    }
    out.push_back(o);
  }
  return out;
}

// The largest difference seen and the largest number expected.
struct Deviation {
  double worst = 0, largest = 0;
  void add(double got, double expected) {
    worst = std::max(worst, std::abs(got - expected));
    largest = std::max(largest, std::abs(expected));
  }
};

// Empty rings and checkpoints; row b starts in slot b with b entries that say nothing.
void start_chain(const Args& args) {
  for (const TensorView* view :
       {&args.initial_state, &args.d_cache, &args.k_cache, &args.g_cache}) {
    set_all(*view, 0);
  }
  for (std::int64_t b = 0; b < args.write_pos.shape[0]; ++b) {
    store(element(args.write_pos, {b}), kInt32, static_cast<double>(b));
    store(element(args.ssm_state_indices, {b}), kInt32, static_cast<double>(b));
  }
}

void draw_inputs(const Args& args, Choices& choose) {
  for (const TensorView* view : {&args.mixed_qkv, &args.a, &args.b, &args.A_log, &args.dt_bias}) {
    for (std::int64_t i = 0; i < view->elements; ++i) {
      store(nth_element(*view, i), view->dtype, static_cast<double>(choose.below(2001)) / 1000 - 1);
    }
  }
}

// As a caller does: after a flush the ring is empty.
void advance_cursors(const Args& args) {
  for (std::int64_t b = 0; b < args.write_pos.shape[0]; ++b) {
    const std::int64_t next = integer(args.write_pos, {b}) + 1;
    store(element(args.write_pos, {b}), kInt32,
          next == args.d_cache.shape[2] ? 0 : static_cast<double>(next));
  }
}

void launch_step(const Args& args) {
  const Check<Op> checked = check<Op>(args);
  ASSERT_TRUE(checked) << explain(checked).message;
  ASSERT_TRUE(launch(checked.accepted(), nullptr).status.ok());
}

void expect_chain_tracks_the_recurrence(const Case& of) {
  emulator::CallMemory<Op> memory(make_call(of));
  const Args args = bind<Op>(make_call(of), memory.on_device(), door::device_count());
  std::vector<Head> heads;
  for (std::int64_t i = 0; i < of.B * of.HV; ++i) {
    const std::int64_t hv = i % of.HV;
    heads.push_back({i / of.HV, hv, hv / (of.HV / of.H),
                     std::vector<double>(static_cast<std::size_t>(of.V * of.K), 0)});
  }
  Choices choose(std::uint64_t{5});
  std::vector<Deviation> out(static_cast<std::size_t>(of.B));  // of each row
  Deviation state;
  {
    const Suite::Readable readable(args);
    start_chain(args);
  }
  for (std::int64_t t = 0; t < 3 * of.L; ++t) {
    std::vector<std::vector<double>> expected;
    {
      const Suite::Readable readable(args);
      draw_inputs(args, choose);
      for (Head& head : heads) expected.push_back(advance(args, head));
    }
    launch_step(args);
    if (testing::Test::HasFatalFailure()) return;
    const Suite::Readable readable(args);
    for (std::size_t i = 0; i < heads.size(); ++i) {
      for (std::int64_t v = 0; v < of.V; ++v) {
        out[static_cast<std::size_t>(heads[i].b)].add(
            value(args.out, {heads[i].b, 0, heads[i].hv, v}),
            expected[i][static_cast<std::size_t>(v)]);
      }
    }
    advance_cursors(args);
  }
  // Row 0 has just flushed: its checkpoints are the states.
  const Suite::Readable readable(args);
  for (const Head& head : heads) {
    for (std::int64_t i = 0; head.b == 0 && i < of.V * of.K; ++i) {
      state.add(value(args.initial_state, {0, head.hv, i / of.K, i % of.K}),
                head.S[static_cast<std::size_t>(i)]);
    }
  }
  for (const Deviation& row : out) {
    EXPECT_LE(row.worst, 3e-2 * row.largest);
    EXPECT_GT(row.largest, 0.01);
  }
  EXPECT_LE(state.worst, 2e-2 * state.largest);
  EXPECT_GT(state.largest, 0.01);
}

TEST(KdaReplayssm, AChainOfStepsTracksThePlainRecurrence) {
  static constexpr Case kChains[] = {
      {"one head", 1, 1, 1, 8, 8, 4, 1},
      {"grouped heads", 2, 1, 2, 5, 3, 4, 2, kBfloat16, kFloat32, kBfloat16},
      {"f16", 3, 2, 4, 12, 20, 7, 3, kFloat16, kFloat32, kFloat16, kFloat16},
      {"bf16 checkpoints", 2, 1, 1, 16, 4, 16, 2, kFloat32, kBfloat16, kFloat32},
      {"one entry", 1, 1, 2, 8, 4, 1, 1},
      {"the longest ring", 1, 1, 1, 4, 4, 64, 1, kFloat16, kFloat32, kFloat16}};
  for (Case of : kChains) {
    SCOPED_TRACE(of.name);
    of.force_flush = false;
    expect_chain_tracks_the_recurrence(of);
  }
}

// --- launching -----------------------------------------------------------------------------------

TEST(KdaReplayssm, LaunchesOnTheTensorsDeviceAndRestoresTheCallers) {
  Suite::expect_launched_on_the_tensors_device(make_call({"", 2, 1, 2, 8, 4, 3, 3}));
}

TEST(KdaReplayssm, AFailedLaunchNamesTheOp) {
  Suite::expect_a_failed_launch_named(make_call({"", 2, 1, 2, 8, 4, 3, 3}));
}

}  // namespace
}  // namespace prelaunch::kda_replayssm
