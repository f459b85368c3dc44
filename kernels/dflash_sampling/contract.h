// The contract of dflash_sampling: its page's rules, in its page's order.
#pragma once

#include "kernels/common/contract.h"
#include "kernels/common/overlap_rules.h"
#include "kernels/common/predicates.h"
#include "kernels/dflash_sampling/dflash_sampling.h"

namespace prelaunch {
namespace dflash_sampling {

// candidates.rank has held before either is used.
constexpr bool is_per_request(const TensorView& view, const Args& a) {
  return view.rank == 1 && view.shape[0] == a.candidates.shape[0];
}
constexpr bool is_beside_candidates(const TensorView& view, const Args& a) {
  return !view.given || view.device == a.candidates.device;
}
// False for a NaN.
constexpr bool is_fraction(float number) { return number >= 0 && number <= 1; }

}  // namespace dflash_sampling

template <>
inline constexpr auto kDerived<dflash_sampling::Op> =
    std::to_array<Derived<dflash_sampling::Args>>({
        {"expected_rows",
         [](const dflash_sampling::Args& a) {
           return product({a.candidates.shape[0], a.candidates.shape[1]});
         }},
    });

template <>
inline constexpr auto kRules<dflash_sampling::Op> = contract<
    dflash_sampling::Op>(std::to_array<Rule<dflash_sampling::Args>>({
    {"candidates.rank", kSafety, "candidates must be 2D, got shape={shape}",
     [](const dflash_sampling::Args& a) PRELAUNCH_RULE { return a.candidates.rank == 2; }},
    {"next_token_logits.rank", kSafety, "next_token_logits must be 2D, got shape={shape}.",
     [](const dflash_sampling::Args& a) PRELAUNCH_RULE { return a.next_token_logits.rank == 2; }},
    {"batch.positive", kPolicy, "batch size must be positive, got {candidates.shape[0]}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return a.candidates.shape[0] > 0 ? nullptr : &a.candidates; },
     "a batch of no request is a caller's mistake, and the callers' own checks refuse it"},
    {"draft_token_num.positive", kSafety,
     "draft_token_num must be positive, got {candidates.shape[1]}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return a.candidates.shape[1] > 0 ? nullptr : &a.candidates; }},
    {"draft_token_num.limit", kPolicy,
     "draft_token_num must be at most 1024, got {candidates.shape[1]}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return a.candidates.shape[1] <= 1024 ? nullptr : &a.candidates; },
     "drafts have 8 or 16 tokens, and every row's distribution is computed, reached or not"},
    // A view without a flaw counts its elements in 64 bits.
    {"next_token_logits.rows", kSafety,
     "next_token_logits row count mismatch. Expected {expected_rows}, got "
     "{next_token_logits.shape[0]}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return a.next_token_logits.shape[0] == a.candidates.elements; }},
    {"next_token_logits.device", kSafety,
     "candidates and next_token_logits must be on the same device, got {candidates.device} and "
     "{next_token_logits.device}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return a.next_token_logits.device == a.candidates.device; }},
    {"uniform_samples.shape", kSafety,
     "uniform_samples shape mismatch. Expected {candidates.shape}, got {shape}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return same_shape(a.uniform_samples, a.candidates); }},
    {"uniform_samples_for_final_sampling.shape", kSafety,
     "uniform_samples_for_final_sampling shape mismatch. Expected ({candidates.shape[0]},), "
     "got {shape}.",
     [](const dflash_sampling::Args& a) PRELAUNCH_RULE {
       return dflash_sampling::is_per_request(a.uniform_samples_for_final_sampling, a);
     }},
    {"vocab.positive", kPolicy, "vocab must be positive, got {next_token_logits.shape[1]}.",
     [](const dflash_sampling::Args& a) PRELAUNCH_RULE {
       return a.next_token_logits.shape[1] > 0 ? nullptr : &a.next_token_logits;
     },
     "no token can be drawn from an empty vocabulary: every row would fault"},
    {"temperatures.shape", kSafety,
     "temperatures must have shape ({candidates.shape[0]},) or ({candidates.shape[0]}, 1), got "
     "{shape}.",
     [](const dflash_sampling::Args& a) PRELAUNCH_RULE {
       return (a.temperatures.rank == 1 ||
               (a.temperatures.rank == 2 && a.temperatures.shape[1] == 1)) &&
              a.temperatures.shape[0] == a.candidates.shape[0];
     }},
    {"top_ks.shape", kSafety, "top_ks must have shape ({candidates.shape[0]},), got {shape}.",
     [](const dflash_sampling::Args& a) PRELAUNCH_RULE {
       return !a.top_ks.given || dflash_sampling::is_per_request(a.top_ks, a);
     }},
    {"top_ps.shape", kSafety, "top_ps must have shape ({candidates.shape[0]},), got {shape}.",
     [](const dflash_sampling::Args& a) PRELAUNCH_RULE {
       return !a.top_ps.given || dflash_sampling::is_per_request(a.top_ps, a);
     }},
    {"inputs.cuda", kSafety, "{argument} must be a CUDA tensor, got device={device}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return first_not(on_cuda, a.candidates); }},
    {"temperatures.device", kSafety, "temperatures must be on {candidates.device}, got {device}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return dflash_sampling::is_beside_candidates(a.temperatures, a); }},
    {"top_ks.device", kSafety, "top_ks must be on {candidates.device}, got {device}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return dflash_sampling::is_beside_candidates(a.top_ks, a); }},
    {"top_ps.device", kSafety, "top_ps must be on {candidates.device}, got {device}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return dflash_sampling::is_beside_candidates(a.top_ps, a); }},
    {"uniform_samples.device", kSafety,
     "uniform_samples must be on {candidates.device}, got {device}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return dflash_sampling::is_beside_candidates(a.uniform_samples, a); }},
    {"uniform_samples_for_final_sampling.device", kSafety,
     "uniform_samples_for_final_sampling must be on {candidates.device}, got {device}.",
     [](const dflash_sampling::Args& a) PRELAUNCH_RULE {
       return dflash_sampling::is_beside_candidates(a.uniform_samples_for_final_sampling, a);
     }},
    {"candidates.dtype", kSafety, "candidates must be int32 or int64, got {dtype}.",
     [](const dflash_sampling::Args& a) PRELAUNCH_RULE { return is_index(a.candidates); }},
    {"next_token_logits.dtype", kSafety,
     "next_token_logits must be float32, float16 or bfloat16, got {dtype}.",
     [](const dflash_sampling::Args& a) PRELAUNCH_RULE { return is_real(a.next_token_logits); }},
    {"temperatures.dtype", kSafety, "temperatures must be float32, got {dtype}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return a.temperatures.dtype == kFloat32; }},
    {"top_ks.dtype", kSafety, "top_ks must be int32 or int64, got {dtype}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return !a.top_ks.given || is_index(a.top_ks); }},
    {"top_ps.dtype", kSafety, "top_ps must be float32, got {dtype}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return !a.top_ps.given || a.top_ps.dtype == kFloat32; }},
    {"uniform_samples.dtype", kSafety, "uniform_samples must be float32, got {dtype}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return a.uniform_samples.dtype == kFloat32; }},
    {"uniform_samples_for_final_sampling.dtype", kSafety,
     "uniform_samples_for_final_sampling must be float32, got {dtype}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return a.uniform_samples_for_final_sampling.dtype == kFloat32; }},
    {"next_token_logits.inner_contiguous", kSafety,
     "next_token_logits must be contiguous in vocab, got strides={strides}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return a.next_token_logits.inner_contiguous; }},
    {"thresholds.range", kPolicy,
     "threshold_single and threshold_acc must be in [0, 1], got {threshold_single} and "
     "{threshold_acc}.",
     [](const dflash_sampling::Args& a) PRELAUNCH_RULE -> const float* {
       if (!dflash_sampling::is_fraction(a.threshold_single)) return &a.threshold_single;
       return dflash_sampling::is_fraction(a.threshold_acc) ? nullptr : &a.threshold_acc;
     },
     "a threshold past the ends means what the end does: it is a caller's mistake"},
    // accept_len has no size rule: candidates, which fits, is at least as large.
    {"accept_len.matches", kSafety,
     "accept_len must be a contiguous int32 tensor of shape ({candidates.shape[0]},) on "
     "{candidates.device}, got shape={shape}, strides={strides}, dtype={dtype}, "
     "device={device}.",
     [](const dflash_sampling::Args& a) PRELAUNCH_RULE {
       return absent_or_vector(a.accept_len, a.candidates.shape[0], kInt32, a.candidates);
     }},
    {"bonus.size", kSafety, "bonus must fit 64-bit sizes, got candidates.shape={candidates.shape}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return a.bonus.given || tensor_fits(8, {a.candidates.shape[0]}); }},
    {"bonus.matches", kSafety,
     "bonus must be a contiguous int64 tensor of shape ({candidates.shape[0]},) on "
     "{candidates.device}, got shape={shape}, strides={strides}, dtype={dtype}, "
     "device={device}.",
     [](const dflash_sampling::Args& a) PRELAUNCH_RULE {
       return absent_or_vector(a.bonus, a.candidates.shape[0], kInt64, a.candidates);
     }},
    {"outputs.no_overlap", kSemantics,
     "accept_len and bonus must not share a byte with each other or with any other argument, "
     "but {argument} does.",
     [](const dflash_sampling::Args& a) PRELAUNCH_RULE -> const TensorView* {
       using dflash_sampling::Op;
       return first_written_overlap<Op, ~tensors_named<Op>("fault")>(a);
     }},
    {"fault.matches", kSafety,
     "fault must be one uint64 of 0 or 1 dimensions on {candidates.device}, got shape={shape}, "
     "dtype={dtype}, device={device}.",
     [](const dflash_sampling::Args& a)
         PRELAUNCH_RULE { return absent_or_fault_word(a.fault, a.candidates); }},
    {"fault.no_overlap", kSemantics, "fault must not share a byte with any other argument.",
     [](const dflash_sampling::Args& a) PRELAUNCH_RULE {
       using dflash_sampling::Op;
       return first_written_overlap<Op, tensors_named<Op>("fault")>(a) == nullptr;
     }},
}));

}  // namespace prelaunch
