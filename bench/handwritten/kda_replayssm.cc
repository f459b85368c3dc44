// kda_replayssm's contract by hand: its page, read from top to bottom.
#include <cmath>

#include "bench/handwritten.h"
#include "kernels/kda_replayssm/contract.h"

namespace prelaunch::bench {
namespace {

using kda_replayssm::Args;

enum Rule : std::size_t {
  kALayout = 14 * kRulesOfTensor,
  kDtBiasLayout,
  kQkvRank,
  kQkvInner,
  kBRank,
  kBInner,
  kALogContiguous,
  kIndicesRank,
  kOutContiguous,
  kSameDevice,
  kCuda,
  kBatch,
  kIndicesShape,
  kStateRank,
  kStateInner,
  kDims,
  kAShape,
  kBShape,
  kALogShape,
  kDtBiasShape,
  kOutShape,
  kPackedDim,
  kGrouped,
  kWritePosLayout,
  kWritePosShape,
  kForceFlushLayout,
  kDRank,
  kKRank,
  kGRank,
  kLength,
  kLengthLimit,
  kDShape,
  kKShape,
  kGShape,
  kSlots,
  kGDtype,
  kCachesDevice,
  kForceFlushDevice,
  kQkvDtype,
  kADtype,
  kBDtype,
  kALogDtype,
  kDtBiasDtype,
  kStateDtype,
  kDDtype,
  kKDtype,
  kOutDtype,
  kIndicesDtype,
  kDInner,
  kKInner,
  kGInner,
  kScaleFinite,
  kLowerBound,
  kStateSelf,
  kDSelf,
  kKSelf,
  kGSelf,
  kWritten,
  kFaultMatches,
  kFaultOverlap,
};

bool shares_bytes(const TensorView& a, const TensorView& b) {
  if (a.elements == 0 || b.elements == 0 || extents_disjoint(a, b)) return false;
  return solve_overlap(a, b) != Overlap::kDisjoint;
}

bool overlaps_itself(const TensorView& view) {
  return !view.contiguous && solve_self_overlap(view) != Overlap::kDisjoint;
}

bool holds_ring(const TensorView& ring, const Args& a) {
  return ring.dtype == kFloat32 || ring.dtype == a.mixed_qkv.dtype ||
         ring.dtype == a.initial_state.dtype;
}

std::size_t malformed(const Args& a) {
  const TensorView* const required[] = {
      &a.mixed_qkv, &a.a,       &a.b,       &a.A_log, &a.dt_bias,           &a.initial_state,
      &a.d_cache,   &a.k_cache, &a.g_cache, &a.out,   &a.ssm_state_indices, &a.write_pos};
  std::size_t i = 0;
  for (const TensorView* view : required) {
    if (!view->given) return i * kRulesOfTensor;
    if (view->flaw != Flaw::kNone) return flaw_rule(*view, i);
    ++i;
  }
  if (a.force_flush.flaw != Flaw::kNone) return flaw_rule(a.force_flush, 12);
  if (a.fault.flaw != Flaw::kNone) return flaw_rule(a.fault, 13);
  return kNoRule;
}

std::size_t overlapping(const Args& a) {
  const TensorView* const read[] = {&a.mixed_qkv, &a.a,           &a.b,
                                    &a.A_log,     &a.dt_bias,     &a.ssm_state_indices,
                                    &a.write_pos, &a.force_flush, &a.fault};
  const TensorView* const written[] = {&a.initial_state, &a.d_cache, &a.k_cache, &a.g_cache,
                                       &a.out};
  for (const TensorView* w : written) {
    for (const TensorView* r : read) {
      if (shares_bytes(*w, *r)) return kWritten;
    }
  }
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (shares_bytes(*written[i], *written[j])) return kWritten;
    }
  }
  if (!a.fault.given) return kNoRule;
  if (a.fault.rank > 1 || a.fault.elements != 1 || a.fault.dtype != kUInt64 ||
      a.fault.device != a.mixed_qkv.device) {
    return kFaultMatches;
  }
  for (const TensorView* r : read) {
    if (r != &a.fault && shares_bytes(a.fault, *r)) return kFaultOverlap;
  }
  return kNoRule;
}

std::size_t types_and_layout(const Args& a) {
  const Dtype io = a.mixed_qkv.dtype;
  if (io != kFloat32 && io != kFloat16 && io != kBfloat16) return kQkvDtype;
  if (a.a.dtype != io) return kADtype;
  if (a.b.dtype != io) return kBDtype;
  if (a.A_log.dtype != kFloat32 && a.A_log.dtype != io) return kALogDtype;
  if (a.dt_bias.dtype != kFloat32 && a.dt_bias.dtype != io) return kDtBiasDtype;
  if (a.initial_state.dtype != kFloat32 && a.initial_state.dtype != kBfloat16) return kStateDtype;
  if (!holds_ring(a.d_cache, a)) return kDDtype;
  if (!holds_ring(a.k_cache, a)) return kKDtype;
  if (a.out.dtype != io) return kOutDtype;
  if (a.ssm_state_indices.dtype != kInt32 && a.ssm_state_indices.dtype != kInt64) {
    return kIndicesDtype;
  }
  if (!a.d_cache.inner_contiguous) return kDInner;
  if (!a.k_cache.inner_contiguous) return kKInner;
  if (!a.g_cache.inner_contiguous) return kGInner;
  if (!(std::fabs(a.scale) <= 3.402823466e38f)) return kScaleFinite;
  if (a.lower_bound && !(*a.lower_bound <= 0 && *a.lower_bound >= -3.402823466e38f)) {
    return kLowerBound;
  }
  if (overlaps_itself(a.initial_state)) return kStateSelf;
  if (overlaps_itself(a.d_cache)) return kDSelf;
  if (overlaps_itself(a.k_cache)) return kKSelf;
  if (overlaps_itself(a.g_cache)) return kGSelf;
  return overlapping(a);
}

std::size_t rings(const Args& a, std::int64_t H, std::int64_t HV, std::int64_t V, std::int64_t K) {
  if (a.d_cache.rank != 4) return kDRank;
  if (a.k_cache.rank != 4) return kKRank;
  if (a.g_cache.rank != 4) return kGRank;
  const std::int64_t L = a.d_cache.shape[2];
  if (L < 1) return kLength;
  if (L > 64) return kLengthLimit;
  const auto is = [L](const TensorView& t, std::int64_t heads, std::int64_t channels) {
    return t.shape[1] == heads && t.shape[2] == L && t.shape[3] == channels;
  };
  if (!is(a.d_cache, HV, V)) return kDShape;
  if (!is(a.k_cache, H, K)) return kKShape;
  if (!is(a.g_cache, HV, K)) return kGShape;
  const std::int64_t slots = a.initial_state.shape[0];
  if (a.d_cache.shape[0] != slots || a.k_cache.shape[0] != slots || a.g_cache.shape[0] != slots) {
    return kSlots;
  }
  if (a.g_cache.dtype != kFloat32) return kGDtype;
  const Device device = a.mixed_qkv.device;
  if (a.d_cache.device != device || a.k_cache.device != device || a.g_cache.device != device ||
      a.write_pos.device != device) {
    return kCachesDevice;
  }
  if (a.force_flush.given && a.force_flush.device != device) return kForceFlushDevice;
  return types_and_layout(a);
}

bool has_channels(const TensorView& t, std::size_t first, std::int64_t HV, std::int64_t K) {
  if (t.rank == static_cast<std::int32_t>(first) + 1) return t.shape[first] == HV * K;
  return t.shape[first] == HV && t.shape[first + 1] == K;
}

std::size_t shapes(const Args& a) {
  const std::int64_t B = a.mixed_qkv.shape[0];
  if (a.a.shape[0] != B || a.b.shape[0] != B) return kBatch;
  if (a.ssm_state_indices.shape[0] != B) return kIndicesShape;
  if (a.initial_state.rank != 4) return kStateRank;
  if (!a.initial_state.inner_contiguous) return kStateInner;
  const std::int64_t HV = a.initial_state.shape[1], V = a.initial_state.shape[2],
                     K = a.initial_state.shape[3];
  if (HV < 1 || V < 1 || V > 256 || K < 1 || K > 256) return kDims;
  if (!has_channels(a.a, 1, HV, K)) return kAShape;
  if (a.b.shape[1] != HV) return kBShape;
  if (a.A_log.elements != HV) return kALogShape;
  if (!has_channels(a.dt_bias, 0, HV, K)) return kDtBiasShape;
  if (a.out.rank != 4 || a.out.shape[0] != B || a.out.shape[1] != 1 || a.out.shape[2] != HV ||
      a.out.shape[3] != V) {
    return kOutShape;
  }
  const std::int64_t qk = a.mixed_qkv.shape[1] - HV * V;
  if (qk <= 0 || qk % (2 * K) != 0) return kPackedDim;
  const std::int64_t H = qk / (2 * K);
  if (HV % H != 0) return kGrouped;
  if (a.write_pos.rank != 1 || a.write_pos.dtype != kInt32) return kWritePosLayout;
  if (a.write_pos.shape[0] != B) return kWritePosShape;
  if (a.force_flush.given &&
      (a.force_flush.rank != 1 || a.force_flush.shape[0] != B || a.force_flush.dtype != kInt32)) {
    return kForceFlushLayout;
  }
  return rings(a, H, HV, V, K);
}

}  // namespace

template <>
std::size_t handwritten<kda_replayssm::Op>(const Args& a) {
  if (const std::size_t rule = malformed(a); rule != kNoRule) return rule;
  if ((a.a.rank != 2 && a.a.rank != 3) || !a.a.contiguous) return kALayout;
  if ((a.dt_bias.rank != 1 && a.dt_bias.rank != 2) || !a.dt_bias.contiguous) return kDtBiasLayout;
  if (a.mixed_qkv.rank != 2) return kQkvRank;
  if (!a.mixed_qkv.inner_contiguous) return kQkvInner;
  if (a.b.rank != 2) return kBRank;
  if (!a.b.inner_contiguous) return kBInner;
  if (!a.A_log.contiguous) return kALogContiguous;
  if (a.ssm_state_indices.rank != 1) return kIndicesRank;
  if (!a.out.contiguous) return kOutContiguous;
  const Device device = a.mixed_qkv.device;
  if (a.a.device != device || a.b.device != device || a.A_log.device != device ||
      a.dt_bias.device != device || a.initial_state.device != device || a.out.device != device ||
      a.ssm_state_indices.device != device) {
    return kSameDevice;
  }
  if (!is_cuda(device)) return kCuda;
  return shapes(a);
}

}  // namespace prelaunch::bench
