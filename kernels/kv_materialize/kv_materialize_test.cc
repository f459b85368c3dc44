#include "kernels/kv_materialize/kv_materialize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "kernels/common/fault.h"
#include "kernels/emulator/op_test.h"
#include "kernels/kv_materialize/cases.h"
#include "kernels/kv_materialize/contract.h"

namespace prelaunch::kv_materialize {
namespace {

using Suite = emulator::OpTest<Op, Cases>;

constexpr Dtype kDtypes[] = {kBfloat16, kFloat16, kFloat32};

Call plain() { return make_call({"plain", 4, 3, 2, 16, 8, 5}); }

std::uint64_t word(const TensorView& fault) {
  return static_cast<std::uint64_t>(
      load_integer(reinterpret_cast<const std::byte*>(fault.address), kUInt64));
}

void put(Call& call, std::size_t field, std::int64_t element, double number) {
  Fill& fill = call.values[field].tensor.fill;
  fill.at[fill.count++] = {element, number};
}

void fill_with(Call& call, std::size_t field, double number) {
  call.values[field].tensor.fill.kind = Fill::Kind::kNumber;
  call.values[field].tensor.fill.number = number;
}

TEST(KvMaterialize, EveryCaseIsAccepted) { Suite::expect_every_case_accepted(); }
TEST(KvMaterialize, EverySmallCaseIsComputedRight) {
  Suite::expect_small_cases_right(1 << 13, static_cast<int>(kCases.size()) - 7);
}
TEST(KvMaterialize, DrawnCallsAreAcceptedAndComputedRight) { Suite::expect_draws_right(20, 600); }
TEST(KvMaterialize, EveryEditBreaksItsRuleFirst) {
  Suite::expect_every_edit_breaks_its_rule_first(21);
}
TEST(KvMaterialize, EveryRuleOfItsOwnHasAnEdit) { Suite::expect_every_own_rule_has_an_edit(35); }

// --- messages ------------------------------------------------------------------------------------

TEST(KvMaterialize, TheSeedsMessageIsKept) {
  Call single = plain(), on_host = plain();
  single.values[kVOut].tensor.dtype = kFloat32;
  on_host.values[kVOut].tensor.device = kCpuDevice;
  EXPECT_EQ(Suite::message(single),
            "Invalid v_out device/dtype for fused KV materialization: got device=cuda:0, "
            "dtype=torch.float32, expected device=cuda:0, dtype=torch.bfloat16.");
  EXPECT_EQ(Suite::message(on_host),
            "Invalid v_out device/dtype for fused KV materialization: got device=cpu, "
            "dtype=torch.bfloat16, expected device=cuda:0, dtype=torch.bfloat16.");
  EXPECT_EQ(Suite::blamed(on_host), "v_out");
}

TEST(KvMaterialize, ThePagesMessagesSayWhatWasExpected) {
  struct Said {
    void (*edit)(Call&);
    std::string_view message;
  };
  const Said cases[] = {
      {[](Call& c) { drop_last_dim(c.values[kKv].tensor); },
       "Invalid stacked fused KV projection shape: got (4, 3), expected 3D [total_ctx, n_layers, "
       "kv_size*2]."},
      {[](Call& c) { c.values[kHeads].integer = 0; },
       "num_kv_heads and head_dim must be positive, got num_kv_heads=0, head_dim=16."},
      {[](Call& c) { c.values[kHeadDim].integer = 1025; },
       "head_dim must be at most 1024, got 1025."},
      {[](Call& c) { c.values[kHeads].integer = 3; },
       "Invalid fused KV projection shape: got (4, 3, 64), expected trailing dim 96."},
      {[](Call& c) { c.values[kHeads].integer = std::int64_t{1} << 62; },
       "Invalid fused KV projection shape: got (4, 3, 64), expected trailing dim a number "
       "that 64 bits cannot hold."},
      {[](Call& c) { c.values[kRotaryDim].integer = 7; },
       "Invalid fused KV rotary/head dim pair: rotary_dim=7, head_dim=16."},
      {[](Call& c) { c.values[kWeight].tensor.shape[0] = 2; },
       "Invalid stacked k_norm_weight shape for fused KV materialization: got (2, 16), expected "
       "(3, 16)."},
      {[](Call& c) { c.values[kEps].tensor.shape[0] = 1; },
       "Invalid stacked eps shape for fused KV materialization: got (1,), expected (3,)."},
      {[](Call& c) { c.values[kAngles].tensor.shape[1] = 6; },
       "Invalid cos_sin_cache shape for fused KV materialization: got (5, 6), expected [max_pos >= "
       "1, rotary_dim]."},
      {[](Call& c) { c.values[kPositions].tensor.shape[0] = 5; },
       "Invalid positions shape for fused KV materialization: got (5,), expected (4,)."},
      {[](Call& c) { c.values[kKv].tensor.device = kCpuDevice; },
       "kv must be a CUDA tensor, got device=cpu."},
      {[](Call& c) { c.values[kEps].tensor.device = cuda(1); },
       "All inputs must be on the same device: eps is on cuda:1, kv on cuda:0."},
      {[](Call& c) { c.values[kKOut].tensor.shape[1] = 5; },
       "Invalid k_out shape for fused KV materialization: got (3, 5, 2, 16), expected (3, 4, 2, "
       "16)."},
      {[](Call& c) { c.values[kKOut].tensor.device = cuda(1); },
       "Invalid k_out device/dtype for fused KV materialization: got device=cuda:1, "
       "dtype=torch.bfloat16, expected device=cuda:0, dtype=torch.bfloat16."},
      {[](Call& c) { c.values[kFault].tensor.dtype = kInt64; },
       "fault must be a torch.uint64 tensor with one element, of rank 0 or 1, on cuda:0, got "
       "shape=(1,), dtype=torch.int64, device=cuda:0."},
  };
  for (const Said& each : cases) {
    Call call = plain();
    each.edit(call);
    EXPECT_EQ(Suite::message(call), each.message);
  }
}

TEST(KvMaterialize, AnOverlapBlamesWhatIsWritten) {
  Call outputs = plain(), fault = plain();
  outputs.values[kVOut].tensor.buffer = kKv;
  fault.values[kFault].tensor.buffer = kVOut;
  EXPECT_EQ(Suite::message(outputs),
            "k_out and v_out must not share a byte with each other or with any input, but v_out "
            "does.");
  EXPECT_EQ(Suite::blamed(outputs), "v_out");
  EXPECT_EQ(Suite::message(fault), "fault must not share a byte with any other argument.");
  EXPECT_EQ(Suite::blamed(fault), "fault");
}

// --- sizes and layouts that the page accepts -----------------------------------------------------

TEST(KvMaterialize, HeadsWithoutEndAreRejectedWithoutOverflow) {
  for (const std::int64_t heads : {std::int64_t{1} << 62, std::int64_t{1} << 61, INT64_MAX}) {
    Call call = make_call({"", 1, 1, 1, 2, 2, 1});
    call.values[kHeads].integer = heads;
    EXPECT_EQ(Suite::verdict(call), "kv.trailing_dim");
    call.values[kKv].tensor.shape[2] = 0;  // what 2 * heads * head_dim wraps to
    EXPECT_EQ(Suite::verdict(call), "kv.trailing_dim");
  }
}

// There is no rule for the size of an absent output: kv would not fit before it.
TEST(KvMaterialize, AnAbsentOutputOfTheLargestKvFits) {
  Call call = make_call({"", 1, 1, 1, 2, 2, 1, kBfloat16, kBfloat16, kFloat32, kInt64,
                         Layout::kBroadcast, Out::kAbsent});
  const std::int64_t most = std::int64_t{1} << 59;
  call.values[kKv].tensor.shape[0] = most;
  call.values[kPositions].tensor.shape[0] = most;
  EXPECT_EQ(Suite::verdict(call), "accepted");
  call.values[kKv].tensor.shape[0] = call.values[kPositions].tensor.shape[0] = 2 * most;
  EXPECT_EQ(Suite::verdict(call), "kv.size");
}

TEST(KvMaterialize, StridesOfSingleDimensionsMeanNothing) {
  for (const Out out : {Out::kGiven, Out::kPool}) {
    Call call = make_call(
        {"", 1, 1, 1, 16, 16, 1, kBfloat16, kFloat32, kFloat32, kInt64, Layout::kContiguous, out});
    for (const std::size_t i : {kKv, kWeight, kEps, kAngles, kPositions, kKOut, kVOut, kFault}) {
      TensorSpec& t = call.values[i].tensor;
      for (std::size_t d = 0; d < static_cast<std::size_t>(t.rank); ++d) {
        if (t.shape[d] == 1) t.strides[d] = d % 2 == 0 ? -7 : INT64_MAX;
      }
    }
    EXPECT_EQ(Suite::verdict(call), "accepted");
    Suite::expect_right(call, "single dimensions");
  }
}

TEST(KvMaterialize, NullStridesAreCompact) {
  Call call = plain();
  for (Value& value : call.values) value.tensor.null_strides = true;
  Suite::expect_right(call, "null strides");
}

TEST(KvMaterialize, TheHalvesOfAPoolAreAcceptedAndOneByteMoreIsNot) {
  Call call = make_call({"", 3, 2, 2, 16, 16, 4, kBfloat16, kBfloat16, kFloat32, kInt64,
                         Layout::kContiguous, Out::kPool});
  EXPECT_EQ(Suite::verdict(call), "accepted");
  Suite::expect_right(call, "a pool");
  call.values[kVOut].tensor.offset -= 2;
  EXPECT_EQ(Suite::verdict(call), "outputs.no_overlap");
}

TEST(KvMaterialize, AFaultWordBetweenTheRowsOfAnInputIsAccepted) {
  Call call =
      make_call({"", 3, 2, 2, 16, 16, 4, kBfloat16, kBfloat16, kFloat32, kInt64, Layout::kSliced});
  call.values[kFault].tensor.buffer = kKv;
  call.values[kFault].tensor.offset = 64 + 64 * 2;  // behind the first row
  EXPECT_EQ(Suite::verdict(call), "accepted");
  Suite::expect_right(call, "a fault word in a gap");
  call.values[kFault].tensor.offset -= 8;
  EXPECT_EQ(Suite::verdict(call), "fault.no_overlap");
}

TEST(KvMaterialize, EveryHeadDimAndRotaryDimIsComputedRight) {
  for (std::int64_t head_dim = 2; head_dim <= 40; ++head_dim) {
    for (std::int64_t rotary_dim = 2; rotary_dim <= head_dim; rotary_dim += 2) {
      const Dtype dtype = kDtypes[(head_dim + rotary_dim / 2) % 3];
      Suite::expect_right(make_call({"", 2, 2, 1, head_dim, rotary_dim, 3, dtype, kFloat32}),
                          std::to_string(head_dim) + "/" + std::to_string(rotary_dim));
    }
  }
  for (const std::int64_t head_dim : {127, 128, 129, 255, 256, 511, 512, 513, 1023, 1024}) {
    for (const std::int64_t rotary_dim : {std::int64_t{2}, head_dim / 4 * 2, head_dim / 2 * 2}) {
      for (const Dtype dtype : kDtypes) {
        Suite::expect_right(make_call({"", 1, 2, 1, head_dim, rotary_dim, 1, dtype, dtype}),
                            std::to_string(head_dim) + "/" + std::to_string(rotary_dim));
      }
    }
  }
}

TEST(KvMaterialize, WithoutTokensNothingIsLaunchedAndTheOutputsAreThere) {
  for (const Out out : {Out::kGiven, Out::kAbsent}) {
    const Call call = make_call({"", 0, 2, 2, 16, 16, 4, kBfloat16, kBfloat16, kFloat32, kInt64,
                                 Layout::kContiguous, out, FaultWord::kAbsent});
    const Args args = Suite::args_of(call);
    const Check<Op> checked = check<Op>(args);
    ASSERT_TRUE(checked);
    const door::Counts before = door::counts();
    const Launched<Args> launched = launch(checked.accepted(), nullptr);
    EXPECT_TRUE(launched.status.ok());
    EXPECT_EQ((door::counts() - before).launches, 0u);
    EXPECT_TRUE(launched.args.k_out.given && launched.args.v_out.given);
    EXPECT_EQ(launched.args.v_out.shape[2], 2);
  }
  Call wrong = make_call({"", 0, 2, 2, 16, 16, 4});
  wrong.values[kEps].tensor.shape[0] = 3;
  EXPECT_EQ(Suite::verdict(wrong), "eps.shape");
}

// --- the guard -----------------------------------------------------------------------------------

// Tokens enough for several blocks, and layers in chunks.
Call guarded(Dtype positions) {
  return make_call({"", 13, 3, 2, 64, 32, 6, kBfloat16, kBfloat16, kFloat32, positions});
}

TEST(KvMaterialize, PositionsAtTheLimitsAreGuarded) {
  for (const Dtype dtype : {kInt32, kInt64}) {
    const double least = dtype == kInt32 ? -0x1p31 : -0x1p63, most = -least;
    for (const double position : {-1.0, 6.0, least, most, 0x1p31 - 1}) {
      for (const std::int64_t token : {0, 5, 12}) {
        Call call = guarded(dtype);
        put(call, kPositions, token, position);
        Suite::run(call,
                   [&](const Args& before, const Args& after) {
                     EXPECT_EQ(verify(before, after).value_or(""), "");
                     EXPECT_EQ(word(after.fault), static_cast<std::uint64_t>(token) << 8 | 1);
                     EXPECT_EQ(value(after.k_out, {2, token, 1, 63}), 0);
                   },
                   {0, 1, 7});
      }
    }
    for (const double position : {0.0, 5.0}) {
      Call call = guarded(dtype);
      fill_with(call, kPositions, position);
      Suite::run(call, [](const Args& before, const Args& after) {
        EXPECT_EQ(verify(before, after).value_or(""), "");
        EXPECT_EQ(word(after.fault), kNoFault);
      });
    }
  }
}

TEST(KvMaterialize, TheSmallestTokenThatFaultsIsReportedWhateverTheOrder) {
  Call call = guarded(kInt64);
  for (const std::int64_t token : {11, 4, 9}) put(call, kPositions, token, -1);
  const auto look = [](const Args& before, const Args& after) {
    EXPECT_EQ(verify(before, after).value_or(""), "");
    EXPECT_EQ(word(after.fault), 4u << 8 | 1);
  };
  Suite::run(call, look, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  // A smaller fault of an earlier call stays; without the word nothing is recorded.
  put(call, kFault, 0, 0x301);
  Suite::run(call, [](const Args&, const Args& after) { EXPECT_EQ(word(after.fault), 0x301u); });
  call.values[kFault].absent = true;
  Suite::expect_right(call, "no fault word");
}

TEST(KvMaterialize, DrawnCallsWithBadPositionsAreComputedRight) {
  Choices choose(std::uint64_t{22});
  for (int i = 0; i < 200; ++i) {
    Call call = make_call(draw_case(choose));
    call.fill = static_cast<std::uint32_t>(i);
    for (int bad = 0; bad < 2; ++bad) {
      put(call, kPositions, choose.between(0, 5), choose.of({-1.0, 6.0, 0x1p31, -0x1p62}));
    }
    Suite::expect_right(call, "draw " + std::to_string(i));
    if (HasFailure()) return;
  }
}

TEST(KvMaterialize, WithoutLayersPositionsAreGuardedAllTheSame) {
  Call call = make_call({"", 5, 0, 2, 16, 16, 4});
  put(call, kPositions, 3, 4);
  Suite::run(call,
             [](const Args&, const Args& after) { EXPECT_EQ(word(after.fault), 3u << 8 | 1); });
}

// K of all tokens but `except`, and V of all, bit by bit.
std::string outputs_of(const Call& call, std::int64_t except) {
  std::string bytes;
  Suite::run(call,
             [&](const Args&, const Args& after) {
               for (std::int64_t i = 0; i < after.k_out.elements; ++i) {
                 const std::int64_t token =
                     i / (after.k_out.shape[2] * after.k_out.shape[3]) % after.k_out.shape[1];
                 const auto size = static_cast<std::size_t>(after.k_out.dtype.bytes());
                 const auto add = [&](const TensorView& out) {
                   bytes.append(reinterpret_cast<const char*>(nth_element(out, i)), size);
                 };
                 if (token != except) add(after.k_out);
                 add(after.v_out);
               }
             },
             {0});
  return bytes;
}

TEST(KvMaterialize, ATokenThatFaultsOrIsNotANumberLeavesTheOthersAlone) {
  const Call good = guarded(kInt64);
  Call out_of_range = good, not_a_number = good;
  put(out_of_range, kPositions, 5, 99);
  const std::int64_t row = 2 * 2 * 64;
  put(not_a_number, kKv, (5 * 3 + 1) * row + 3, NAN);  // token 5, layer 1, K of head 0
  EXPECT_EQ(outputs_of(good, 5), outputs_of(out_of_range, 5));
  EXPECT_EQ(outputs_of(good, 5), outputs_of(not_a_number, 5));
  EXPECT_NE(outputs_of(good, -1), outputs_of(not_a_number, -1));
}

// --- the numerical domain ------------------------------------------------------------------------

TEST(KvMaterialize, OutsideOfTheDomainEveryElementIsStillWritten) {
  const std::pair<std::size_t, double> odd[] = {
      {kKv, NAN},          {kKv, 0},       {kKv, 0x1p127},      {kEps, NAN}, {kEps, -10},
      {kWeight, INFINITY}, {kAngles, NAN}, {kKv, 1.3 * 0x1p-74}};
  for (const auto& [field, number] : odd) {
    Call call = plain();
    fill_with(call, field, number);
    fill_with(call, kEps, field == kEps ? number : 0);
    std::string seen[2];
    for (const double old : {1.0, 2.0}) {
      fill_with(call, kKOut, old);
      fill_with(call, kVOut, old);
      seen[old == 1] = outputs_of(call, -1);
    }
    EXPECT_EQ(seen[0], seen[1]) << field << " " << number;
    Suite::expect_right(call, "outside of the domain");
  }
}

TEST(KvMaterialize, TheSumKeepsItsToleranceForAnyValues) {
  for (const double number : {0.1, 1.0 / 3, 0.7, 3.3333333, 12345.678, 1e-15, 1e15}) {
    for (const std::int64_t head_dim : {1024, 1022, 1001}) {
      Call call = make_call({"", 1, 2, 1, head_dim, 512, 1, kFloat32, kFloat32});
      fill_with(call, kKv, number);
      put(call, kKv, 3, number * 1000);
      Suite::expect_right(call, std::to_string(number));
    }
  }
}

TEST(KvMaterialize, ANegativeEpsAsksForNoMoreThanF32Has) {
  Choices choose(std::uint64_t{3});
  for (int i = 0; i < 200; ++i) {
    Call call = make_call({"", 2, 1, 1, 63, 32, 2, kFloat32, kFloat32});
    fill_with(call, kKv, 0.7 + 0.001 * i);
    // The mean, but for some of its last bits.
    const double mean = std::pow(static_cast<double>(static_cast<float>(0.7 + 0.001 * i)), 2);
    fill_with(call, kEps, -mean * (1 - std::ldexp(1.0, -static_cast<int>(choose.below(22)))));
    call.fill = static_cast<std::uint32_t>(i);
    Suite::expect_right(call, "draw " + std::to_string(i));
  }
}

TEST(KvMaterialize, WhatF16CannotHoldBecomesInfinite) {
  Call call = make_call({"", 2, 1, 1, 8, 4, 2, kFloat16, kFloat32});
  fill_with(call, kWeight, 1e6);
  Suite::run(call, [](const Args& before, const Args& after) {
    EXPECT_EQ(verify(before, after).value_or(""), "");
    const double last = value(after.k_out, {0, 1, 0, 7});
    ASSERT_TRUE(std::isinf(last));
    std::byte* data = element(after.k_out, {0, 1, 0, 7});
    for (const double wrong : {-last, std::copysign(65504.0, last)}) {
      store(data, kFloat16, wrong);
      EXPECT_TRUE(verify(before, after).has_value());
    }
  });
}

// --- what the comparison sees --------------------------------------------------------------------

enum class Bug : std::uint8_t {
  kNone,
  kSwappedHalves,
  kNextLayersEps,
  kSinSign,
  kNoWeight,
  kNextPositionsCos,
  kNeighbourPairing,
  kNoEps,
  kNextLayersWeight,
  kRestNotNormalized,
};

// Writes k_out as a kernel with the bug would.
void plant(Bug bug, const Args& a, const Args& after) {
  const std::int64_t half = a.rotary_dim / 2, layers = a.kv.shape[1];
  for (std::int64_t t = 0; t < a.kv.shape[0]; ++t) {
    const std::int64_t p = integer(a.positions, {t});
    const std::int64_t cos_p =
        bug == Bug::kNextPositionsCos ? (p + 1) % a.cos_sin_cache.shape[0] : p;
    for (std::int64_t l = 0; l < layers; ++l) {
      const std::int64_t eps_l = bug == Bug::kNextLayersEps ? (l + 1) % layers : l;
      const double eps = bug == Bug::kNoEps ? 0 : value(a.eps, {eps_l});
      const std::int64_t weight_l = bug == Bug::kNextLayersWeight ? (l + 1) % layers : l;
      for (std::int64_t h = 0; h < a.num_kv_heads; ++h) {
        std::vector<double> n(static_cast<std::size_t>(a.head_dim));
        double sum = 0;
        for (std::int64_t i = 0; i < a.head_dim; ++i) {
          const double k = value(a.kv, {t, l, h * a.head_dim + i});
          n[static_cast<std::size_t>(i)] = k;
          sum += k * k;
        }
        for (std::int64_t i = 0; i < a.head_dim; ++i) {
          if (bug == Bug::kRestNotNormalized && i >= a.rotary_dim) continue;
          n[static_cast<std::size_t>(i)] /= std::sqrt(sum / static_cast<double>(a.head_dim) + eps);
          if (bug != Bug::kNoWeight) {
            n[static_cast<std::size_t>(i)] *= value(a.k_norm_weight, {weight_l, i});
          }
        }
        std::vector<double> out = n;
        for (std::int64_t i = 0; i < half; ++i) {
          const double cos = value(a.cos_sin_cache, {cos_p, i});
          const double sin =
              value(a.cos_sin_cache, {p, half + i}) * (bug == Bug::kSinSign ? -1 : 1);
          auto one = static_cast<std::size_t>(i), other = static_cast<std::size_t>(half + i);
          if (bug == Bug::kNeighbourPairing) one = 2 * static_cast<std::size_t>(i), other = one + 1;
          out[one] = n[one] * cos - n[other] * sin;
          out[other] = n[other] * cos + n[one] * sin;
          if (bug == Bug::kSwappedHalves) std::swap(out[one], out[other]);
        }
        for (std::int64_t i = 0; i < a.head_dim; ++i) {
          store(element(after.k_out, {l, t, h, i}), a.kv.dtype, out[static_cast<std::size_t>(i)]);
        }
      }
    }
  }
}

TEST(KvMaterialize, PlantedErrorsAreSeen) {
  for (const Dtype dtype : kDtypes) {
    Call call = make_call({"", 3, 3, 2, 24, 16, 5, dtype, dtype});
    for (const auto& [layer, eps] : {std::pair{0, 1e-6}, {1, 0.25}, {2, 1.5}}) {
      put(call, kEps, layer, eps);
    }
    Suite::run(call, [](const Args& before, const Args& after) {
      for (const Bug bug : {Bug::kSwappedHalves, Bug::kNextLayersEps, Bug::kSinSign, Bug::kNoWeight,
                            Bug::kNextPositionsCos, Bug::kNeighbourPairing, Bug::kNoEps,
                            Bug::kNextLayersWeight, Bug::kRestNotNormalized}) {
        plant(bug, before, after);
        EXPECT_TRUE(verify(before, after).has_value()) << static_cast<int>(bug);
      }
      plant(Bug::kNone, before, after);
      EXPECT_EQ(verify(before, after).value_or(""), "");
    });
  }
}

// Models' own: seen where the dtype is fine enough.
TEST(KvMaterialize, AnEpsOfTenTimesTheSizeIsSeenInF32) {
  Call call = make_call({"", 3, 2, 2, 24, 16, 5, kFloat32, kFloat32});
  put(call, kEps, 0, 1e-6);
  put(call, kEps, 1, 1e-5);
  Suite::run(call, [](const Args& before, const Args& after) {
    plant(Bug::kNextLayersEps, before, after);
    EXPECT_TRUE(verify(before, after).has_value());
  });
}

TEST(KvMaterialize, OneWrongElementIsSeen) {
  for (const Dtype dtype : kDtypes) {
    Suite::run(make_call({"", 3, 3, 2, 24, 16, 5, dtype, dtype}),
               [](const Args& before, const Args& after) {
                 const auto size = static_cast<std::size_t>(after.k_out.dtype.bytes());
                 for (std::int64_t i = 0; i < after.k_out.elements; i += 5) {
                   for (const TensorView* out : {&after.k_out, &after.v_out}) {
                     std::byte* data = nth_element(*out, i);
                     std::byte old[4];
                     std::memcpy(old, data, size);
                     if (out == &after.v_out) {
                       data[size - 1] ^= std::byte{1};
                     } else {
                       // 2^-6 is four units in the last place of bf16.
                       store(data, out->dtype, load(old, out->dtype) * (1 + 0x1p-6));
                     }
                     EXPECT_TRUE(verify(before, after).has_value()) << i;
                     std::memcpy(data, old, size);
                   }
                 }
                 EXPECT_EQ(verify(before, after).value_or(""), "");
               });
  }
}

TEST(KvMaterialize, WrongZerosAndFaultWordsAreSeen) {
  Call call = guarded(kInt64);
  put(call, kPositions, 5, -1);
  Suite::run(call, [](const Args& before, const Args& after) {
    std::byte* zero = element(after.k_out, {1, 5, 1, 63});
    for (const double wrong : {-0.0, 0x1p-130}) {
      store(zero, kBfloat16, wrong);
      EXPECT_TRUE(verify(before, after).has_value());
    }
    store(zero, kBfloat16, 0);
    EXPECT_EQ(verify(before, after).value_or(""), "");
    for (const std::uint64_t wrong :
         {kNoFault, std::uint64_t{6 << 8 | 1}, std::uint64_t{4 << 8 | 1}, std::uint64_t{5 << 8 | 2},
          std::uint64_t{0}}) {
      std::memcpy(reinterpret_cast<void*>(after.fault.address), &wrong, sizeof wrong);
      EXPECT_TRUE(verify(before, after).has_value()) << wrong;
    }
  });
}

// One element that is no number makes one row incomparable, and no other.
TEST(KvMaterialize, OnlyTheRowOutsideOfTheDomainIsNotCompared) {
  Call call = plain();
  const std::int64_t row = 2 * 2 * 16;
  put(call, kKv, (1 * 3 + 2) * row + 16 + 4, NAN);  // token 1, layer 2, K of head 1
  Suite::run(call, [](const Args& before, const Args& after) {
    EXPECT_EQ(verify(before, after).value_or(""), "");
    const auto [layers, tokens, heads, head_dim] = dims<4>(after.k_out);
    for (std::int64_t i = 0; i < after.k_out.elements; i += head_dim) {
      std::byte* data = nth_element(after.k_out, i);
      const double old = load(data, kBfloat16);
      store(data, kBfloat16, 1e30);
      EXPECT_EQ(verify(before, after).has_value(), i != ((2 * tokens + 1) * heads + 1) * head_dim);
      store(data, kBfloat16, old);
    }
  });
}

// --- launching -----------------------------------------------------------------------------------

TEST(KvMaterialize, LaunchesOnTheTensorsDeviceAndRestoresTheCallers) {
  Suite::expect_launched_on_the_tensors_device(plain());
}

TEST(KvMaterialize, AFailedLaunchNamesTheOpAndLeavesNothingAllocated) {
  Suite::expect_a_failed_launch_named(
      make_call({"", 2, 2, 2, 16, 16, 4, kBfloat16, kBfloat16, kFloat32, kInt64,
                 Layout::kContiguous, Out::kAbsent}));
}

}  // namespace
}  // namespace prelaunch::kv_materialize
