// dflash_sampling's contract by hand: its page, read from top to bottom.
#include "bench/handwritten.h"
#include "kernels/dflash_sampling/contract.h"

namespace prelaunch::bench {
namespace {

using dflash_sampling::Args;

enum Rule : std::size_t {
  kCandidatesRank = 10 * kRulesOfTensor,
  kLogitsRank,
  kBatchPositive,
  kDraftTokenNumPositive,
  kDraftTokenNumLimit,
  kLogitsRows,
  kLogitsDevice,
  kCoinsShape,
  kFinalCoinsShape,
  kVocabPositive,
  kTemperaturesShape,
  kTopKsShape,
  kTopPsShape,
  kInputsCuda,
  kTemperaturesDevice,
  kTopKsDevice,
  kTopPsDevice,
  kCoinsDevice,
  kFinalCoinsDevice,
  kCandidatesDtype,
  kLogitsDtype,
  kTemperaturesDtype,
  kTopKsDtype,
  kTopPsDtype,
  kCoinsDtype,
  kFinalCoinsDtype,
  kLogitsInnerContiguous,
  kThresholdsRange,
  kAcceptLenMatches,
  kBonusSize,
  kBonusMatches,
  kOutputsNoOverlap,
  kFaultMatches,
  kFaultNoOverlap,
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

bool shares_with_inputs(const TensorView& written, const Args& a) {
  return shares_bytes(written, a.candidates) || shares_bytes(written, a.next_token_logits) ||
         shares_bytes(written, a.temperatures) || shares_bytes(written, a.top_ks) ||
         shares_bytes(written, a.top_ps) || shares_bytes(written, a.uniform_samples) ||
         shares_bytes(written, a.uniform_samples_for_final_sampling);
}

std::size_t first_flaw(const Args& a) {
  if (!a.candidates.given) return 0;
  if (a.candidates.flaw != Flaw::kNone) return flaw_rule(a.candidates, 0);
  if (!a.next_token_logits.given) return kRulesOfTensor;
  if (a.next_token_logits.flaw != Flaw::kNone) return flaw_rule(a.next_token_logits, 1);
  if (!a.temperatures.given) return 2 * kRulesOfTensor;
  if (a.temperatures.flaw != Flaw::kNone) return flaw_rule(a.temperatures, 2);
  if (a.top_ks.flaw != Flaw::kNone) return flaw_rule(a.top_ks, 3);
  if (a.top_ps.flaw != Flaw::kNone) return flaw_rule(a.top_ps, 4);
  if (!a.uniform_samples.given) return 5 * kRulesOfTensor;
  if (a.uniform_samples.flaw != Flaw::kNone) return flaw_rule(a.uniform_samples, 5);
  const TensorView& final_coins = a.uniform_samples_for_final_sampling;
  if (!final_coins.given) return 6 * kRulesOfTensor;
  if (final_coins.flaw != Flaw::kNone) return flaw_rule(final_coins, 6);
  if (a.accept_len.flaw != Flaw::kNone) return flaw_rule(a.accept_len, 7);
  if (a.bonus.flaw != Flaw::kNone) return flaw_rule(a.bonus, 8);
  if (a.fault.flaw != Flaw::kNone) return flaw_rule(a.fault, 9);
  return kNoRule;
}

}  // namespace

template <>
std::size_t handwritten<dflash_sampling::Op>(const Args& a) {
  if (const std::size_t flaw = first_flaw(a); flaw != kNoRule) return flaw;
  const TensorView &candidates = a.candidates, &logits = a.next_token_logits,
                   &temperatures = a.temperatures, &coins = a.uniform_samples,
                   &final_coins = a.uniform_samples_for_final_sampling;

  if (candidates.rank != 2) return kCandidatesRank;
  if (logits.rank != 2) return kLogitsRank;
  const std::int64_t bs = candidates.shape[0], n = candidates.shape[1];
  if (bs <= 0) return kBatchPositive;
  if (n <= 0) return kDraftTokenNumPositive;
  if (n > 1024) return kDraftTokenNumLimit;
  if (logits.shape[0] % n != 0 || logits.shape[0] / n != bs) return kLogitsRows;
  if (logits.device != candidates.device) return kLogitsDevice;
  if (coins.rank != 2 || coins.shape[0] != bs || coins.shape[1] != n) return kCoinsShape;
  if (final_coins.rank != 1 || final_coins.shape[0] != bs) return kFinalCoinsShape;
  if (logits.shape[1] <= 0) return kVocabPositive;
  if (temperatures.rank != 1 && temperatures.rank != 2) return kTemperaturesShape;
  if (temperatures.shape[0] != bs) return kTemperaturesShape;
  if (temperatures.rank == 2 && temperatures.shape[1] != 1) return kTemperaturesShape;
  if (a.top_ks.given && (a.top_ks.rank != 1 || a.top_ks.shape[0] != bs)) return kTopKsShape;
  if (a.top_ps.given && (a.top_ps.rank != 1 || a.top_ps.shape[0] != bs)) return kTopPsShape;
  const Device device = candidates.device;
  if (!is_cuda(device)) return kInputsCuda;
  if (temperatures.device != device) return kTemperaturesDevice;
  if (a.top_ks.given && a.top_ks.device != device) return kTopKsDevice;
  if (a.top_ps.given && a.top_ps.device != device) return kTopPsDevice;
  if (coins.device != device) return kCoinsDevice;
  if (final_coins.device != device) return kFinalCoinsDevice;
  if (!is_token(candidates.dtype)) return kCandidatesDtype;
  if (logits.dtype != kFloat32 && logits.dtype != kFloat16 && logits.dtype != kBfloat16) {
    return kLogitsDtype;
  }
  if (temperatures.dtype != kFloat32) return kTemperaturesDtype;
  if (a.top_ks.given && !is_token(a.top_ks.dtype)) return kTopKsDtype;
  if (a.top_ps.given && a.top_ps.dtype != kFloat32) return kTopPsDtype;
  if (coins.dtype != kFloat32) return kCoinsDtype;
  if (final_coins.dtype != kFloat32) return kFinalCoinsDtype;
  if (!logits.inner_contiguous) return kLogitsInnerContiguous;
  if (!(a.threshold_single >= 0 && a.threshold_single <= 1)) return kThresholdsRange;
  if (!(a.threshold_acc >= 0 && a.threshold_acc <= 1)) return kThresholdsRange;
  if (a.accept_len.given && !is_output(a.accept_len, candidates, kInt32)) {
    return kAcceptLenMatches;
  }
  if (!a.bonus.given && bs > INT64_MAX / 8) return kBonusSize;
  if (a.bonus.given && !is_output(a.bonus, candidates, kInt64)) return kBonusMatches;
  for (const TensorView* output : {&a.accept_len, &a.bonus}) {
    if (shares_with_inputs(*output, a) || shares_bytes(*output, a.fault)) return kOutputsNoOverlap;
  }
  if (shares_bytes(a.accept_len, a.bonus)) return kOutputsNoOverlap;
  if (a.fault.given && (a.fault.rank > 1 || a.fault.elements != 1 || a.fault.dtype != kUInt64 ||
                        a.fault.device != device)) {
    return kFaultMatches;
  }
  return shares_with_inputs(a.fault, a) ? std::size_t{kFaultNoOverlap} : kNoRule;
}

}  // namespace prelaunch::bench
