// kv_materialize's contract by hand: its page, read from top to bottom.
#include "bench/handwritten.h"
#include "kernels/kv_materialize/contract.h"

namespace prelaunch::bench {
namespace {

using kv_materialize::Args;

enum Rule : std::size_t {
  kKvRank = 8 * kRulesOfTensor,
  kHeadsPositive,
  kHeadDimLimit,
  kKvTrailingDim,
  kRotaryDimRange,
  kWeightShape,
  kEpsShape,
  kAnglesShape,
  kPositionsShape,
  kKvCuda,
  kWeightDevice,
  kEpsDevice,
  kAnglesDevice,
  kPositionsDevice,
  kKvDtype,
  kWeightDtype,
  kEpsDtype,
  kAnglesDtype,
  kPositionsDtype,
  kKvInner,
  kWeightInner,
  kAnglesInner,
  kEpsContiguous,
  kPositionsContiguous,
  kKOutShape,
  kKOutDeviceDtype,
  kVOutShape,
  kVOutDeviceDtype,
  kKOutInner,
  kVOutInner,
  kKOutSelfOverlap,
  kVOutSelfOverlap,
  kOutputsNoOverlap,
  kFaultMatches,
  kFaultNoOverlap,
};

bool shares_bytes(const TensorView& a, const TensorView& b) {
  if (a.elements == 0 || b.elements == 0 || extents_disjoint(a, b)) return false;
  return solve_overlap(a, b) != Overlap::kDisjoint;
}

bool overlaps_itself(const TensorView& view) {
  return view.given && !view.contiguous && solve_self_overlap(view) != Overlap::kDisjoint;
}

// Of required tensors, then of optional ones.
std::size_t malformed(const Args& a) {
  if (!a.kv.given) return 0;
  if (a.kv.flaw != Flaw::kNone) return flaw_rule(a.kv, 0);
  if (!a.k_norm_weight.given) return kRulesOfTensor;
  if (a.k_norm_weight.flaw != Flaw::kNone) return flaw_rule(a.k_norm_weight, 1);
  if (!a.eps.given) return 2 * kRulesOfTensor;
  if (a.eps.flaw != Flaw::kNone) return flaw_rule(a.eps, 2);
  if (!a.cos_sin_cache.given) return 3 * kRulesOfTensor;
  if (a.cos_sin_cache.flaw != Flaw::kNone) return flaw_rule(a.cos_sin_cache, 3);
  if (!a.positions.given) return 4 * kRulesOfTensor;
  if (a.positions.flaw != Flaw::kNone) return flaw_rule(a.positions, 4);
  if (a.k_out.flaw != Flaw::kNone) return flaw_rule(a.k_out, 5);
  if (a.v_out.flaw != Flaw::kNone) return flaw_rule(a.v_out, 6);
  if (a.fault.flaw != Flaw::kNone) return flaw_rule(a.fault, 7);
  return kNoRule;
}

std::size_t broken_by_sizes(const Args& a) {
  if (a.kv.rank != 3) return kKvRank;
  const std::int64_t total_ctx = a.kv.shape[0], n_layers = a.kv.shape[1];
  if (a.num_kv_heads <= 0 || a.head_dim <= 0) return kHeadsPositive;
  if (a.head_dim > 1024) return kHeadDimLimit;
  if (a.kv.shape[2] % (2 * a.head_dim) != 0) return kKvTrailingDim;
  if (a.kv.shape[2] / (2 * a.head_dim) != a.num_kv_heads) return kKvTrailingDim;
  if (a.rotary_dim <= 0 || a.rotary_dim > a.head_dim) return kRotaryDimRange;
  if (a.rotary_dim % 2 != 0) return kRotaryDimRange;
  if (a.k_norm_weight.rank != 2 || a.k_norm_weight.shape[0] != n_layers) return kWeightShape;
  if (a.k_norm_weight.shape[1] != a.head_dim) return kWeightShape;
  if (a.eps.rank != 1 || a.eps.shape[0] != n_layers) return kEpsShape;
  if (a.cos_sin_cache.rank != 2 || a.cos_sin_cache.shape[0] < 1) return kAnglesShape;
  if (a.cos_sin_cache.shape[1] != a.rotary_dim) return kAnglesShape;
  if (a.positions.rank != 1 || a.positions.shape[0] != total_ctx) return kPositionsShape;
  return kNoRule;
}

std::size_t broken_by_inputs(const Args& a) {
  const Dtype dtype = a.kv.dtype;
  if (!is_cuda(a.kv.device)) return kKvCuda;
  if (a.k_norm_weight.device != a.kv.device) return kWeightDevice;
  if (a.eps.device != a.kv.device) return kEpsDevice;
  if (a.cos_sin_cache.device != a.kv.device) return kAnglesDevice;
  if (a.positions.device != a.kv.device) return kPositionsDevice;
  if (dtype != kFloat32 && dtype != kFloat16 && dtype != kBfloat16) return kKvDtype;
  if (a.k_norm_weight.dtype != dtype && a.k_norm_weight.dtype != kFloat32) return kWeightDtype;
  if (a.eps.dtype != kFloat32) return kEpsDtype;
  if (a.cos_sin_cache.dtype != dtype && a.cos_sin_cache.dtype != kFloat32) return kAnglesDtype;
  if (a.positions.dtype != kInt32 && a.positions.dtype != kInt64) return kPositionsDtype;
  if (!a.kv.inner_contiguous) return kKvInner;
  if (!a.k_norm_weight.inner_contiguous) return kWeightInner;
  if (!a.cos_sin_cache.inner_contiguous) return kAnglesInner;
  if (!a.eps.contiguous) return kEpsContiguous;
  if (!a.positions.contiguous) return kPositionsContiguous;
  return kNoRule;
}

bool has_out_shape(const TensorView& out, const Args& a) {
  return out.rank == 4 && out.shape[0] == a.kv.shape[1] && out.shape[1] == a.kv.shape[0] &&
         out.shape[2] == a.num_kv_heads && out.shape[3] == a.head_dim;
}

bool is_like_kv(const TensorView& out, const Args& a) {
  return out.device == a.kv.device && out.dtype == a.kv.dtype;
}

std::size_t broken_by_outputs(const Args& a) {
  const TensorView* const inputs[] = {&a.kv, &a.k_norm_weight, &a.eps, &a.cos_sin_cache,
                                      &a.positions};
  if (a.k_out.given && !has_out_shape(a.k_out, a)) return kKOutShape;
  if (a.k_out.given && !is_like_kv(a.k_out, a)) return kKOutDeviceDtype;
  if (a.v_out.given && !has_out_shape(a.v_out, a)) return kVOutShape;
  if (a.v_out.given && !is_like_kv(a.v_out, a)) return kVOutDeviceDtype;
  if (a.k_out.given && !a.k_out.inner_contiguous) return kKOutInner;
  if (a.v_out.given && !a.v_out.inner_contiguous) return kVOutInner;
  if (overlaps_itself(a.k_out)) return kKOutSelfOverlap;
  if (overlaps_itself(a.v_out)) return kVOutSelfOverlap;
  for (const TensorView* input : inputs) {
    if (shares_bytes(a.k_out, *input) || shares_bytes(a.v_out, *input)) return kOutputsNoOverlap;
  }
  if (shares_bytes(a.k_out, a.v_out)) return kOutputsNoOverlap;
  if (!a.fault.given) return kNoRule;
  if (a.fault.rank > 1 || a.fault.elements != 1) return kFaultMatches;
  if (a.fault.dtype != kUInt64 || a.fault.device != a.kv.device) return kFaultMatches;
  for (const TensorView* input : inputs) {
    if (shares_bytes(a.fault, *input)) return kFaultNoOverlap;
  }
  if (shares_bytes(a.fault, a.k_out) || shares_bytes(a.fault, a.v_out)) return kFaultNoOverlap;
  return kNoRule;
}

}  // namespace

template <>
std::size_t handwritten<kv_materialize::Op>(const Args& a) {
  if (const std::size_t rule = malformed(a); rule != kNoRule) return rule;
  if (const std::size_t rule = broken_by_sizes(a); rule != kNoRule) return rule;
  if (const std::size_t rule = broken_by_inputs(a); rule != kNoRule) return rule;
  return broken_by_outputs(a);
}

}  // namespace prelaunch::bench
