// The contract of dflash_greedy: its page's rules, in its page's order.
#pragma once

#include "kernels/common/contract.h"
#include "kernels/common/overlap_rules.h"
#include "kernels/common/predicates.h"
#include "kernels/dflash_greedy/dflash_greedy.h"

namespace prelaunch {

template <>
inline constexpr auto kRules<dflash_greedy::Op> =
    contract<dflash_greedy::Op>(std::to_array<Rule<dflash_greedy::Args>>({
        {"candidates.rank", kSafety, "candidates must be 2D, got shape={shape}",
         [](const dflash_greedy::Args& a) PRELAUNCH_RULE { return a.candidates.rank == 2; }},
        {"target_predict.shape", kSafety,
         "target_predict must have the same shape as candidates. "
         "candidates.shape={candidates.shape}, target_predict.shape={target_predict.shape}",
         [](const dflash_greedy::Args& a)
             PRELAUNCH_RULE { return same_shape(a.target_predict, a.candidates); }},
        {"batch.positive", kPolicy, "batch size must be positive, got {candidates.shape[0]}.",
         [](const dflash_greedy::Args& a)
             PRELAUNCH_RULE { return a.candidates.shape[0] > 0 ? nullptr : &a.candidates; },
         "a batch of no request is a caller's mistake, and the callers' own checks refuse it"},
        {"block_size.positive", kSafety, "block_size must be positive, got {candidates.shape[1]}.",
         [](const dflash_greedy::Args& a)
             PRELAUNCH_RULE { return a.candidates.shape[1] > 0 ? nullptr : &a.candidates; }},
        {"block_size.limit", kPolicy,
         "block_size must be at most 2147483648, so that accept_len fits int32, got "
         "{candidates.shape[1]}.",
         [](const dflash_greedy::Args& a) PRELAUNCH_RULE {
           return a.candidates.shape[1] <= std::int64_t{1} << 31 ? nullptr : &a.candidates;
         },
         "nobody drafts that many tokens, and running so many to see int32 wrap shows nothing new"},
        {"target_predict.device", kSafety,
         "candidates and target_predict must be on the same device, got {candidates.device} and "
         "{target_predict.device}.",
         [](const dflash_greedy::Args& a)
             PRELAUNCH_RULE { return a.target_predict.device == a.candidates.device; }},
        {"inputs.cuda", kSafety, "{argument} must be a CUDA tensor, got device={device}.",
         [](const dflash_greedy::Args& a)
             PRELAUNCH_RULE { return first_not(on_cuda, a.candidates); }},
        {"candidates.dtype", kSafety, "candidates must be int32 or int64, got {dtype}.",
         [](const dflash_greedy::Args& a) PRELAUNCH_RULE { return is_index(a.candidates); }},
        {"target_predict.dtype", kSafety, "target_predict must be int32 or int64, got {dtype}.",
         [](const dflash_greedy::Args& a) PRELAUNCH_RULE { return is_index(a.target_predict); }},
        // accept_len has no such rule: candidates, which fits, is at least as large.
        {"accept_len.matches", kSafety,
         "accept_len must be a contiguous int32 tensor of shape ({candidates.shape[0]},) on "
         "{candidates.device}, got shape={shape}, strides={strides}, dtype={dtype}, "
         "device={device}.",
         [](const dflash_greedy::Args& a) PRELAUNCH_RULE {
           return absent_or_vector(a.accept_len, a.candidates.shape[0], kInt32, a.candidates);
         }},
        {"bonus.size", kSafety,
         "bonus must fit 64-bit sizes, got candidates.shape={candidates.shape}.",
         [](const dflash_greedy::Args& a)
             PRELAUNCH_RULE { return a.bonus.given || tensor_fits(8, {a.candidates.shape[0]}); }},
        {"bonus.matches", kSafety,
         "bonus must be a contiguous int64 tensor of shape ({candidates.shape[0]},) on "
         "{candidates.device}, got shape={shape}, strides={strides}, dtype={dtype}, "
         "device={device}.",
         [](const dflash_greedy::Args& a) PRELAUNCH_RULE {
           return absent_or_vector(a.bonus, a.candidates.shape[0], kInt64, a.candidates);
         }},
        {"outputs.no_overlap", kSemantics,
         "accept_len and bonus must not share a byte with each other or with any input, but "
         "{argument} does.",
         [](const dflash_greedy::Args& a)
             PRELAUNCH_RULE { return first_written_overlap<dflash_greedy::Op>(a); }},
    }));

}  // namespace prelaunch
