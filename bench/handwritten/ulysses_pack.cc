// ulysses_pack's contract by hand: its page, read from top to bottom.
#include "bench/handwritten.h"
#include "kernels/ulysses_pack/contract.h"

namespace prelaunch::bench {
namespace {

using ulysses_pack::Args;

enum Rule : std::size_t {
  kSameShape = 4 * kRulesOfTensor,
  kCuda,
  kSameDeviceDtype,
  kDtype,
  kInnerContiguous,
  kDividesHeads,
  kOutSize,
  kOutMatches,
  kOutNoOverlap,
};

bool out_fits(const Args& a, std::int64_t local_heads) {
  std::int64_t bytes = 3 * a.q.dtype.bytes();
  for (const std::int64_t dim : {a.world_size, a.q.shape[0], local_heads, a.q.shape[2]}) {
    if (dim > 1 && __builtin_mul_overflow(bytes, dim, &bytes)) return false;
  }
  return true;
}

bool out_matches(const Args& a, std::int64_t local_heads) {
  if (a.out.rank != 4 || !a.out.contiguous) return false;
  if (a.out.shape[0] != a.world_size || a.out.shape[1] != a.q.shape[0]) return false;
  if (a.out.shape[2] != local_heads) return false;
  if (a.out.shape[3] % 3 != 0 || a.out.shape[3] / 3 != a.q.shape[2]) return false;
  return a.out.device == a.q.device && a.out.dtype == a.q.dtype;
}

bool shares_bytes(const TensorView& a, const TensorView& b) {
  if (a.elements == 0 || b.elements == 0 || extents_disjoint(a, b)) return false;
  return solve_overlap(a, b) != Overlap::kDisjoint;
}

}  // namespace

template <>
std::size_t handwritten<ulysses_pack::Op>(const Args& a) {
  if (!a.q.given) return 0;
  if (a.q.flaw != Flaw::kNone) return flaw_rule(a.q, 0);
  if (!a.k.given) return kRulesOfTensor;
  if (a.k.flaw != Flaw::kNone) return flaw_rule(a.k, 1);
  if (!a.v.given) return 2 * kRulesOfTensor;
  if (a.v.flaw != Flaw::kNone) return flaw_rule(a.v, 2);
  if (a.out.flaw != Flaw::kNone) return flaw_rule(a.out, 3);

  if (a.q.rank != 3 || a.k.rank != 3 || a.v.rank != 3) return kSameShape;
  for (std::size_t d = 0; d < 3; ++d) {
    if (a.k.shape[d] != a.q.shape[d] || a.v.shape[d] != a.q.shape[d]) return kSameShape;
  }
  if (!is_cuda(a.q.device) || !is_cuda(a.k.device) || !is_cuda(a.v.device)) return kCuda;
  if (a.k.device != a.q.device || a.k.dtype != a.q.dtype) return kSameDeviceDtype;
  if (a.v.device != a.q.device || a.v.dtype != a.q.dtype) return kSameDeviceDtype;
  if (a.q.dtype.bits > 64) return kDtype;
  if (!a.q.inner_contiguous || !a.k.inner_contiguous || !a.v.inner_contiguous) {
    return kInnerContiguous;
  }
  if (a.world_size <= 0 || a.q.shape[1] % a.world_size != 0) return kDividesHeads;
  const std::int64_t local_heads = a.q.shape[1] / a.world_size;
  if (!a.out.given) return out_fits(a, local_heads) ? kNoRule : std::size_t{kOutSize};
  if (!out_matches(a, local_heads)) return kOutMatches;
  if (shares_bytes(a.out, a.q) || shares_bytes(a.out, a.k) || shares_bytes(a.out, a.v)) {
    return kOutNoOverlap;
  }
  return kNoRule;
}

}  // namespace prelaunch::bench
