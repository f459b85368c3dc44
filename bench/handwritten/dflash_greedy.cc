// dflash_greedy's contract by hand: its page, read from top to bottom.
#include "bench/handwritten.h"
#include "kernels/dflash_greedy/contract.h"

namespace prelaunch::bench {
namespace {

using dflash_greedy::Args;

enum Rule : std::size_t {
  kCandidatesRank = 4 * kRulesOfTensor,
  kTargetShape,
  kBatchPositive,
  kBlockSizePositive,
  kBlockSizeLimit,
  kTargetDevice,
  kInputsCuda,
  kCandidatesDtype,
  kTargetDtype,
  kAcceptLenMatches,
  kBonusSize,
  kBonusMatches,
  kOutputsNoOverlap,
};

bool is_token(Dtype dtype) { return dtype == kInt32 || dtype == kInt64; }

bool is_output(const TensorView& view, const TensorView& candidates, Dtype dtype) {
  return view.rank == 1 && view.shape[0] == candidates.shape[0] && view.contiguous &&
         view.dtype == dtype && view.device == candidates.device;
}

bool shares_bytes(const TensorView& a, const TensorView& b) {
  if (a.elements == 0 || b.elements == 0 || extents_disjoint(a, b)) return false;
  return solve_overlap(a, b) != Overlap::kDisjoint;
}

}  // namespace

template <>
std::size_t handwritten<dflash_greedy::Op>(const Args& a) {
  if (!a.candidates.given) return 0;
  if (a.candidates.flaw != Flaw::kNone) return flaw_rule(a.candidates, 0);
  if (!a.target_predict.given) return kRulesOfTensor;
  if (a.target_predict.flaw != Flaw::kNone) return flaw_rule(a.target_predict, 1);
  if (a.accept_len.flaw != Flaw::kNone) return flaw_rule(a.accept_len, 2);
  if (a.bonus.flaw != Flaw::kNone) return flaw_rule(a.bonus, 3);

  if (a.candidates.rank != 2) return kCandidatesRank;
  if (a.target_predict.rank != 2) return kTargetShape;
  const std::int64_t bs = a.candidates.shape[0], n = a.candidates.shape[1];
  if (a.target_predict.shape[0] != bs || a.target_predict.shape[1] != n) return kTargetShape;
  if (bs <= 0) return kBatchPositive;
  if (n <= 0) return kBlockSizePositive;
  if (n > std::int64_t{1} << 31) return kBlockSizeLimit;
  if (a.target_predict.device != a.candidates.device) return kTargetDevice;
  if (!is_cuda(a.candidates.device)) return kInputsCuda;
  if (!is_token(a.candidates.dtype)) return kCandidatesDtype;
  if (!is_token(a.target_predict.dtype)) return kTargetDtype;
  if (a.accept_len.given && !is_output(a.accept_len, a.candidates, kInt32)) {
    return kAcceptLenMatches;
  }
  if (!a.bonus.given && bs > INT64_MAX / 8) return kBonusSize;
  if (a.bonus.given && !is_output(a.bonus, a.candidates, kInt64)) return kBonusMatches;
  for (const TensorView* input : {&a.candidates, &a.target_predict}) {
    if (shares_bytes(a.accept_len, *input)) return kOutputsNoOverlap;
    if (shares_bytes(a.bonus, *input)) return kOutputsNoOverlap;
  }
  return shares_bytes(a.accept_len, a.bonus) ? std::size_t{kOutputsNoOverlap} : kNoRule;
}

}  // namespace prelaunch::bench
