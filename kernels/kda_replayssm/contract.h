// The contract of kda_replayssm: its page's rules, in its page's order.
#pragma once

#include <cmath>

#include "kernels/common/contract.h"
#include "kernels/common/overlap_rules.h"
#include "kernels/common/predicates.h"
#include "kernels/kda_replayssm/kda_replayssm.h"

namespace prelaunch {
namespace kda_replayssm {

// It has rules of its own.
inline constexpr TensorSet kFaultWord = tensors_named<Op>("fault");

// The sizes of a call, each from the argument that the page derives it from. What they are read
// from must have its rank by then; products of them fit, because that argument's size does.
PRELAUNCH_RULE constexpr std::int64_t batch(const Args& a) { return a.mixed_qkv.shape[0]; }
PRELAUNCH_RULE constexpr std::int64_t value_heads(const Args& a) {
  return a.initial_state.shape[1];
}
PRELAUNCH_RULE constexpr std::int64_t value_dim(const Args& a) { return a.initial_state.shape[2]; }
PRELAUNCH_RULE constexpr std::int64_t key_dim(const Args& a) { return a.initial_state.shape[3]; }
PRELAUNCH_RULE constexpr std::int64_t ring_length(const Args& a) { return a.d_cache.shape[2]; }
// What of a packed row is q and k: 2 * H * K.
PRELAUNCH_RULE constexpr std::int64_t packed_qk(const Args& a) {
  return a.mixed_qkv.shape[1] - value_heads(a) * value_dim(a);
}
PRELAUNCH_RULE constexpr std::int64_t key_heads(const Args& a) {
  return quotient(packed_qk(a), 2 * key_dim(a));
}

PRELAUNCH_RULE constexpr bool is_vector(const TensorView& view, std::int64_t size) {
  return view.rank == 1 && view.shape[0] == size;
}
// [first, HV * K] or [first, HV, K], without `first` where it is not given.
PRELAUNCH_RULE constexpr bool per_channel(const TensorView& view, std::size_t first,
                                          const Args& a) {
  const auto rank = static_cast<std::size_t>(view.rank);
  if (rank == first + 1) return view.shape[first] == value_heads(a) * key_dim(a);
  return view.shape[first] == value_heads(a) && view.shape[first + 1] == key_dim(a);
}
PRELAUNCH_RULE constexpr bool is_ring(const TensorView& view, std::int64_t heads,
                                      std::int64_t channels, const Args& a) {
  return view.shape[1] == heads && view.shape[2] == ring_length(a) && view.shape[3] == channels;
}
PRELAUNCH_RULE constexpr bool is_io_or(const TensorView& view, Dtype other, const Args& a) {
  return static_cast<bool>(static_cast<int>(view.dtype == a.mixed_qkv.dtype) |
                           static_cast<int>(view.dtype == other));
}
PRELAUNCH_RULE constexpr bool is_ring_dtype(const TensorView& view, const Args& a) {
  return has_dtype(view, kFloat32, a.mixed_qkv.dtype, a.initial_state.dtype);
}

}  // namespace kda_replayssm

template <>
inline constexpr auto kDerived<kda_replayssm::Op> = std::to_array<Derived<kda_replayssm::Args>>({
    {"batch", [](const kda_replayssm::Args& a) { return shape({kda_replayssm::batch(a)}); }},
    {"expected_out",
     [](const kda_replayssm::Args& a) {
       return shape({kda_replayssm::batch(a), std::int64_t{1}, kda_replayssm::value_heads(a),
                     kda_replayssm::value_dim(a)});
     }},
    {"expected_b",
     [](const kda_replayssm::Args& a) {
       return shape({kda_replayssm::batch(a), kda_replayssm::value_heads(a)});
     }},
    {"channels",
     [](const kda_replayssm::Args& a) {
       return shape({kda_replayssm::value_heads(a), kda_replayssm::key_dim(a)});
     }},
    {"key_heads", [](const kda_replayssm::Args& a) { return number(kda_replayssm::key_heads(a)); }},
});

template <>
inline constexpr auto kRules<kda_replayssm::Op> = contract<
    kda_replayssm::Op>(std::to_array<Rule<kda_replayssm::Args>>({
    {"a.layout", kSafety, "KDA `a` must be a contiguous 2D or 3D tensor.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return (a.a.rank == 2 || a.a.rank == 3) && a.a.contiguous; }},
    {"dt_bias.layout", kSafety, "KDA `dt_bias` must be a contiguous 1D or 2D tensor.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE {
       return (a.dt_bias.rank == 1 || a.dt_bias.rank == 2) && a.dt_bias.contiguous;
     }},
    {"mixed_qkv.rank", kSafety, "`mixed_qkv` must be a 2D tensor (got ndim={rank}).",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.mixed_qkv.rank == 2; }},
    {"mixed_qkv.inner_contiguous", kSafety, "`mixed_qkv` must be contiguous in the last dim.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.mixed_qkv.inner_contiguous; }},
    {"b.rank", kSafety, "`b` must be a 2D tensor (got ndim={rank}).",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.b.rank == 2; }},
    {"b.inner_contiguous", kSafety, "`b` must be contiguous in the last dim.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.b.inner_contiguous; }},
    {"A_log.contiguous", kSafety, "`A_log`/`dt_bias` must be contiguous.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.A_log.contiguous; }},
    {"ssm_state_indices.rank", kSafety,
     "`ssm_state_indices` must be a 1D tensor (got ndim={rank}).",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.ssm_state_indices.rank == 1; }},
    {"out.contiguous", kSafety, "`out` must be contiguous.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.out.contiguous; }},
    {"inputs.same_device", kSafety, "All inputs must be on the same device.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE {
       const auto beside = [&a](const TensorView& t)
                               PRELAUNCH_RULE { return t.device == a.mixed_qkv.device; };
       return first_not(beside, a.a, a.b, a.A_log, a.dt_bias, a.initial_state, a.out,
                        a.ssm_state_indices);
     }},
    {"inputs.cuda", kSafety, "All inputs must be CUDA tensors, got `{argument}` on {device}.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return first_not(on_cuda, a.mixed_qkv); }},
    {"batch.matches", kSafety,
     "Mismatched batch sizes: `mixed_qkv` has {mixed_qkv.shape[0]}, `{argument}` has "
     "shape={shape}.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE {
       const auto same = [&a](const TensorView& t)
                             PRELAUNCH_RULE { return t.shape[0] == kda_replayssm::batch(a); };
       return first_not(same, a.a, a.b);
     }},
    {"ssm_state_indices.shape", kSafety,
     "`ssm_state_indices` must have shape {batch}, got {shape}.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return a.ssm_state_indices.shape[0] == kda_replayssm::batch(a); }},
    {"initial_state.rank", kSafety,
     "`initial_state` must be a 4D tensor [slots, HV, V, K] (got ndim={rank}).",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.initial_state.rank == 4; }},
    {"initial_state.inner_contiguous", kSafety,
     "`initial_state` must be contiguous in the last dim.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.initial_state.inner_contiguous; }},
    {"dims.limits", kSafety,
     "`initial_state` must have HV >= 1 and 1 <= V, K <= 256, got shape={shape}.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE {
       const auto within = [](std::int64_t dim) PRELAUNCH_RULE {
         return dim >= 1 && dim <= kda_replayssm::kMaxChannels;
       };
       const bool holds = kda_replayssm::value_heads(a) >= 1 &&
                          within(kda_replayssm::value_dim(a)) && within(kda_replayssm::key_dim(a));
       return holds ? nullptr : &a.initial_state;
     }},
    {"a.shape", kSafety,
     "`a` must have {channels} channels a row, as one dimension or two, got shape={shape}.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return kda_replayssm::per_channel(a.a, 1, a); }},
    {"b.shape", kSafety, "`b` must have shape {expected_b}, got {shape}.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return a.b.shape[1] == kda_replayssm::value_heads(a); }},
    {"A_log.shape", kSafety,
     "`A_log` must have one element for each of {initial_state.shape[1]} heads, got shape={shape}.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return a.A_log.elements == kda_replayssm::value_heads(a); }},
    {"dt_bias.shape", kSafety,
     "`dt_bias` must have {channels} channels, as one dimension or two, got shape={shape}.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return kda_replayssm::per_channel(a.dt_bias, 0, a); }},
    {"out.shape", kSafety, "`out` must have shape {expected_out}, got {shape}.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE {
       return has_shape(a.out, {kda_replayssm::batch(a), 1, kda_replayssm::value_heads(a),
                                kda_replayssm::value_dim(a)});
     }},
    {"mixed_qkv.packed_dim", kSafety,
     "`mixed_qkv` must have rows of 2*H*K + HV*V elements with a whole H >= 1, got shape={shape} "
     "for initial_state.shape={initial_state.shape}.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE {
       return kda_replayssm::packed_qk(a) > 0 &&
              is_multiple(kda_replayssm::packed_qk(a), 2 * kda_replayssm::key_dim(a));
     }},
    {"heads.grouped", kSemantics,
     "HV must be a multiple of H, got HV={initial_state.shape[1]} and H={key_heads}.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE {
       const bool grouped = is_multiple(kda_replayssm::value_heads(a), kda_replayssm::key_heads(a));
       return grouped ? nullptr : &a.mixed_qkv;
     }},
    {"write_pos.layout", kSafety, "`write_pos` must be a 1D int32 tensor.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return a.write_pos.rank == 1 && a.write_pos.dtype == kInt32; }},
    {"write_pos.shape", kSafety, "`write_pos` must have shape {batch}.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return a.write_pos.shape[0] == kda_replayssm::batch(a); }},
    {"force_flush.layout", kSafety, "`force_flush` must be a length-B int32 tensor or None.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE {
       return !a.force_flush.given ||
              (kda_replayssm::is_vector(a.force_flush, kda_replayssm::batch(a)) &&
               a.force_flush.dtype == kInt32);
     }},
    {"d_cache.rank", kSafety, "`d_cache` must be a 4D tensor [slots, HV, L, V] (got ndim={rank}).",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.d_cache.rank == 4; }},
    {"k_cache.rank", kSafety, "`k_cache` must be a 4D tensor [slots, H, L, K] (got ndim={rank}).",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.k_cache.rank == 4; }},
    {"g_cache.rank", kSafety, "`g_cache` must be a 4D tensor [slots, HV, L, K] (got ndim={rank}).",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.g_cache.rank == 4; }},
    {"d_cache.length", kPolicy, "ReplaySSM cache length must be at least 1.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return kda_replayssm::ring_length(a) >= 1; },
     "a ring without entries has no place for a step: every row would fault"},
    {"d_cache.length_limit", kSafety,
     "ReplaySSM cache length must be at most 64, got {d_cache.shape[2]}.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return kda_replayssm::ring_length(a) <= kda_replayssm::kMaxRing; }},
    {"d_cache.shape", kSafety, "`d_cache` must have shape [slots, HV, L, V].",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE {
       return kda_replayssm::is_ring(a.d_cache, kda_replayssm::value_heads(a),
                                     kda_replayssm::value_dim(a), a);
     }},
    {"k_cache.shape", kSafety, "`k_cache` must have shape [slots, H, L, K].",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE {
       return kda_replayssm::is_ring(a.k_cache, kda_replayssm::key_heads(a),
                                     kda_replayssm::key_dim(a), a);
     }},
    {"g_cache.shape", kSafety, "`g_cache` must have shape [slots, HV, L, K].",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE {
       return kda_replayssm::is_ring(a.g_cache, kda_replayssm::value_heads(a),
                                     kda_replayssm::key_dim(a), a);
     }},
    {"slots.match", kSafety,
     "`initial_state`, `d_cache`, `k_cache` and `g_cache` must have the same number of slots, got "
     "{initial_state.shape[0]} and `{argument}` with shape={shape}.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE {
       const auto same = [&a](const TensorView& t)
                             PRELAUNCH_RULE { return t.shape[0] == a.initial_state.shape[0]; };
       return first_not(same, a.d_cache, a.k_cache, a.g_cache);
     }},
    {"g_cache.dtype", kSafety, "`g_cache` must have dtype torch.float32.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.g_cache.dtype == kFloat32; }},
    {"caches.same_device", kSafety, "ReplaySSM inputs must be on the same device.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE {
       const auto beside = [&a](const TensorView& t)
                               PRELAUNCH_RULE { return t.device == a.mixed_qkv.device; };
       return first_not(beside, a.d_cache, a.k_cache, a.g_cache, a.write_pos);
     }},
    {"force_flush.device", kSafety, "`force_flush` must be on the same device as the inputs.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE {
       return !a.force_flush.given || a.force_flush.device == a.mixed_qkv.device;
     }},
    {"mixed_qkv.dtype", kSafety,
     "`mixed_qkv` must have dtype torch.float32, torch.float16 or torch.bfloat16, got {dtype}.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return is_real(a.mixed_qkv); }},
    {"a.dtype", kSafety, "`a` must have mixed_qkv's dtype {mixed_qkv.dtype}, got {dtype}.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.a.dtype == a.mixed_qkv.dtype; }},
    {"b.dtype", kSafety, "`b` must have mixed_qkv's dtype {mixed_qkv.dtype}, got {dtype}.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.b.dtype == a.mixed_qkv.dtype; }},
    {"A_log.dtype", kSafety,
     "`A_log` must have dtype torch.float32 or mixed_qkv's {mixed_qkv.dtype}, got {dtype}.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return kda_replayssm::is_io_or(a.A_log, kFloat32, a); }},
    {"dt_bias.dtype", kSafety,
     "`dt_bias` must have dtype torch.float32 or mixed_qkv's {mixed_qkv.dtype}, got {dtype}.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return kda_replayssm::is_io_or(a.dt_bias, kFloat32, a); }},
    {"initial_state.dtype", kSafety,
     "`initial_state` must have dtype torch.float32 or torch.bfloat16, got {dtype}.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return has_dtype(a.initial_state, kFloat32, kBfloat16); }},
    {"d_cache.dtype", kSafety,
     "`d_cache` must have dtype torch.float32, mixed_qkv's {mixed_qkv.dtype} or initial_state's "
     "{initial_state.dtype}, got {dtype}.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return kda_replayssm::is_ring_dtype(a.d_cache, a); }},
    {"k_cache.dtype", kSafety,
     "`k_cache` must have dtype torch.float32, mixed_qkv's {mixed_qkv.dtype} or initial_state's "
     "{initial_state.dtype}, got {dtype}.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return kda_replayssm::is_ring_dtype(a.k_cache, a); }},
    {"out.dtype", kSafety, "`out` must have mixed_qkv's dtype {mixed_qkv.dtype}, got {dtype}.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.out.dtype == a.mixed_qkv.dtype; }},
    {"ssm_state_indices.dtype", kSafety,
     "`ssm_state_indices` must have dtype torch.int32 or torch.int64, got {dtype}.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return is_index(a.ssm_state_indices); }},
    {"d_cache.inner_contiguous", kSafety, "`d_cache` must be contiguous in the last dim.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.d_cache.inner_contiguous; }},
    {"k_cache.inner_contiguous", kSafety, "`k_cache` must be contiguous in the last dim.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.k_cache.inner_contiguous; }},
    {"g_cache.inner_contiguous", kSafety, "`g_cache` must be contiguous in the last dim.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.g_cache.inner_contiguous; }},
    {"scale.finite", kPolicy, "scale must be finite, got {scale}.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE { return a.scale - a.scale == 0; },
     "out would be infinite or NaN: nobody means that"},
    {"lower_bound.range", kPolicy,
     "lower_bound must be None, or finite and at most 0, got {lower_bound}.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE {
       return !a.lower_bound.has_value() ||
              (*a.lower_bound <= 0 && *a.lower_bound - *a.lower_bound == 0);
     },
     "a decay above 1 would grow with every ring entry, and nothing is promised of the result"},
    {"initial_state.no_self_overlap", kSemantics,
     "`initial_state` must address every element once, got shape={shape}, strides={strides}.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return self_overlap(a.initial_state) == Overlap::kDisjoint; }},
    {"d_cache.no_self_overlap", kSemantics,
     "`d_cache` must address every element once, got shape={shape}, strides={strides}.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return self_overlap(a.d_cache) == Overlap::kDisjoint; }},
    {"k_cache.no_self_overlap", kSemantics,
     "`k_cache` must address every element once, got shape={shape}, strides={strides}.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return self_overlap(a.k_cache) == Overlap::kDisjoint; }},
    {"g_cache.no_self_overlap", kSemantics,
     "`g_cache` must address every element once, got shape={shape}, strides={strides}.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return self_overlap(a.g_cache) == Overlap::kDisjoint; }},
    {"written.no_overlap", kSemantics,
     "What is written must not share a byte with any other argument, but `{argument}` does.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE {
       return first_written_overlap<kda_replayssm::Op, ~kda_replayssm::kFaultWord>(a);
     }},
    {"fault.matches", kSafety,
     "fault must be a uint64 tensor with one element on {mixed_qkv.device}, got shape={shape}, "
     "dtype={dtype}, device={device}.",
     [](const kda_replayssm::Args& a)
         PRELAUNCH_RULE { return absent_or_fault_word(a.fault, a.mixed_qkv); }},
    {"fault.no_overlap", kSemantics, "fault must not share a byte with any other argument.",
     [](const kda_replayssm::Args& a) PRELAUNCH_RULE {
       return first_written_overlap<kda_replayssm::Op, kda_replayssm::kFaultWord>(a) == nullptr;
     }},
}));

}  // namespace prelaunch
