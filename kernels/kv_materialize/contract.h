// The contract of kv_materialize: its page's rules, in its page's order.
#pragma once

#include "kernels/common/contract.h"
#include "kernels/common/overlap_rules.h"
#include "kernels/common/predicates.h"
#include "kernels/kv_materialize/kv_materialize.h"

namespace prelaunch {

template <>
inline constexpr auto kDerived<kv_materialize::Op> = std::to_array<Derived<kv_materialize::Args>>({
    {"expected_trailing_dim",
     [](const kv_materialize::Args& a) { return product({2, a.num_kv_heads, a.head_dim}); }},
    {"expected_out",
     [](const kv_materialize::Args& a) {
       return shape({a.kv.shape[1], a.kv.shape[0], a.num_kv_heads, a.head_dim});
     }},
});

namespace kv_materialize {

inline constexpr TensorSet kOutputs = tensors_named<Op>("k_out", "v_out"),
                           kFaultWord = tensors_named<Op>("fault");

PRELAUNCH_RULE constexpr bool absent_or_out_shape(const Args& a, const TensorView& out) {
  return !out.given || has_shape(out, {a.kv.shape[1], a.kv.shape[0], a.num_kv_heads, a.head_dim});
}
PRELAUNCH_RULE constexpr bool absent_or_like_kv(const Args& a, const TensorView& out) {
  return !out.given || same_device_dtype(out, a.kv);
}
PRELAUNCH_RULE constexpr bool kv_dtype_or_f32(const Args& a, const TensorView& input) {
  return has_dtype(input, kFloat32, a.kv.dtype);
}

}  // namespace kv_materialize

template <>
inline constexpr auto kRules<kv_materialize::Op> =
    contract<kv_materialize::Op>(std::to_array<Rule<kv_materialize::Args>>({
        {"kv.rank", kSafety,
         "Invalid stacked fused KV projection shape: got {shape}, expected 3D [total_ctx, "
         "n_layers, kv_size*2].",
         [](const kv_materialize::Args& a) PRELAUNCH_RULE { return a.kv.rank == 3; }},
        // Blames kv: an offender is a tensor.
        {"heads.positive", kPolicy,
         "num_kv_heads and head_dim must be positive, got num_kv_heads={num_kv_heads}, "
         "head_dim={head_dim}.",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return a.num_kv_heads > 0 && a.head_dim > 0 ? nullptr : &a.kv; },
         "without a head, or a channel of one, there is nothing to do: it is a caller's mistake"},
        {"head_dim.limit", kPolicy, "head_dim must be at most 1024, got {head_dim}.",
         [](const kv_materialize::Args& a) PRELAUNCH_RULE { return a.head_dim <= 1024; },
         "no model has larger heads; the mean's tolerance in f32 is promised for so many squares"},
        // Halved, not doubled: num_kv_heads may be as large as it likes.
        {"kv.trailing_dim", kSafety,
         "Invalid fused KV projection shape: got {shape}, expected trailing dim "
         "{expected_trailing_dim}.",
         [](const kv_materialize::Args& a) PRELAUNCH_RULE {
           return a.kv.shape[2] % 2 == 0 &&
                  is_product(a.kv.shape[2] / 2, a.head_dim, a.num_kv_heads);
         }},
        {"rotary_dim.range", kSafety,
         "Invalid fused KV rotary/head dim pair: rotary_dim={rotary_dim}, head_dim={head_dim}.",
         [](const kv_materialize::Args& a) PRELAUNCH_RULE {
           return a.rotary_dim > 0 && a.rotary_dim <= a.head_dim && a.rotary_dim % 2 == 0;
         }},
        {"k_norm_weight.shape", kSafety,
         "Invalid stacked k_norm_weight shape for fused KV materialization: got {shape}, expected "
         "({kv.shape[1]}, {head_dim}).",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return has_shape(a.k_norm_weight, {a.kv.shape[1], a.head_dim}); }},
        {"eps.shape", kSafety,
         "Invalid stacked eps shape for fused KV materialization: got {shape}, expected "
         "({kv.shape[1]},).",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return has_shape(a.eps, {a.kv.shape[1]}); }},
        {"cos_sin_cache.shape", kSafety,
         "Invalid cos_sin_cache shape for fused KV materialization: got {shape}, expected "
         "[max_pos >= 1, rotary_dim].",
         [](const kv_materialize::Args& a) PRELAUNCH_RULE {
           return a.cos_sin_cache.rank == 2 && a.cos_sin_cache.shape[0] >= 1 &&
                  a.cos_sin_cache.shape[1] == a.rotary_dim;
         }},
        {"positions.shape", kSafety,
         "Invalid positions shape for fused KV materialization: got {shape}, expected "
         "({kv.shape[0]},).",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return has_shape(a.positions, {a.kv.shape[0]}); }},
        {"kv.cuda", kSafety, "kv must be a CUDA tensor, got device={device}.",
         [](const kv_materialize::Args& a) PRELAUNCH_RULE { return on_cuda(a.kv); }},
        {"k_norm_weight.device", kSafety,
         "All inputs must be on the same device: k_norm_weight is on {device}, kv on {kv.device}.",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return a.k_norm_weight.device == a.kv.device; }},
        {"eps.device", kSafety,
         "All inputs must be on the same device: eps is on {device}, kv on {kv.device}.",
         [](const kv_materialize::Args& a) PRELAUNCH_RULE { return a.eps.device == a.kv.device; }},
        {"cos_sin_cache.device", kSafety,
         "All inputs must be on the same device: cos_sin_cache is on {device}, kv on {kv.device}.",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return a.cos_sin_cache.device == a.kv.device; }},
        {"positions.device", kSafety,
         "All inputs must be on the same device: positions is on {device}, kv on {kv.device}.",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return a.positions.device == a.kv.device; }},
        {"kv.dtype", kSafety,
         "kv must be torch.float32, torch.float16 or torch.bfloat16, got {dtype}.",
         [](const kv_materialize::Args& a) PRELAUNCH_RULE { return is_real(a.kv); }},
        {"k_norm_weight.dtype", kSafety,
         "k_norm_weight must be {kv.dtype}, as kv, or torch.float32, got {dtype}.",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return kv_materialize::kv_dtype_or_f32(a, a.k_norm_weight); }},
        {"eps.dtype", kSafety, "eps must be torch.float32, got {dtype}.",
         [](const kv_materialize::Args& a) PRELAUNCH_RULE { return has_dtype(a.eps, kFloat32); }},
        {"cos_sin_cache.dtype", kSafety,
         "cos_sin_cache must be torch.float32 or {kv.dtype}, as kv, got {dtype}.",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return kv_materialize::kv_dtype_or_f32(a, a.cos_sin_cache); }},
        {"positions.dtype", kSafety, "positions must be torch.int32 or torch.int64, got {dtype}.",
         [](const kv_materialize::Args& a) PRELAUNCH_RULE { return is_index(a.positions); }},
        {"kv.inner_contiguous", kSafety,
         "kv must be contiguous in its last dimension, got strides={strides}.",
         [](const kv_materialize::Args& a) PRELAUNCH_RULE { return inner_contiguous(a.kv); }},
        {"k_norm_weight.inner_contiguous", kSafety,
         "k_norm_weight must be contiguous in its last dimension, got strides={strides}.",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return inner_contiguous(a.k_norm_weight); }},
        {"cos_sin_cache.inner_contiguous", kSafety,
         "cos_sin_cache must be contiguous in its last dimension, got strides={strides}.",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return inner_contiguous(a.cos_sin_cache); }},
        {"eps.contiguous", kSafety, "eps must be contiguous, got strides={strides}.",
         [](const kv_materialize::Args& a) PRELAUNCH_RULE { return contiguous(a.eps); }},
        {"positions.contiguous", kSafety, "positions must be contiguous, got strides={strides}.",
         [](const kv_materialize::Args& a) PRELAUNCH_RULE { return contiguous(a.positions); }},
        // No rule outputs.size: an absent output has half the bytes of kv, which fits.
        {"k_out.shape", kSafety,
         "Invalid k_out shape for fused KV materialization: got {shape}, expected {expected_out}.",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return kv_materialize::absent_or_out_shape(a, a.k_out); }},
        {"k_out.device_dtype", kSafety,
         "Invalid k_out device/dtype for fused KV materialization: got device={device}, "
         "dtype={dtype}, expected device={kv.device}, dtype={kv.dtype}.",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return kv_materialize::absent_or_like_kv(a, a.k_out); }},
        {"v_out.shape", kSafety,
         "Invalid v_out shape for fused KV materialization: got {shape}, expected {expected_out}.",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return kv_materialize::absent_or_out_shape(a, a.v_out); }},
        {"v_out.device_dtype", kSafety,
         "Invalid v_out device/dtype for fused KV materialization: got device={device}, "
         "dtype={dtype}, expected device={kv.device}, dtype={kv.dtype}.",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return kv_materialize::absent_or_like_kv(a, a.v_out); }},
        {"k_out.inner_contiguous", kSafety,
         "k_out must be contiguous in head_dim, got strides={strides}.",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return !a.k_out.given || inner_contiguous(a.k_out); }},
        {"v_out.inner_contiguous", kSafety,
         "v_out must be contiguous in head_dim, got strides={strides}.",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return !a.v_out.given || inner_contiguous(a.v_out); }},
        {"k_out.no_self_overlap", kSemantics,
         "k_out must have each element at its own place, got shape={shape}, strides={strides}.",
         [](const kv_materialize::Args& a) PRELAUNCH_RULE {
           return !a.k_out.given || self_overlap(a.k_out) == Overlap::kDisjoint;
         }},
        {"v_out.no_self_overlap", kSemantics,
         "v_out must have each element at its own place, got shape={shape}, strides={strides}.",
         [](const kv_materialize::Args& a) PRELAUNCH_RULE {
           return !a.v_out.given || self_overlap(a.v_out) == Overlap::kDisjoint;
         }},
        {"outputs.no_overlap", kSemantics,
         "k_out and v_out must not share a byte with each other or with any input, but {argument} "
         "does.",
         [](const kv_materialize::Args& a) PRELAUNCH_RULE {
           return first_written_overlap<kv_materialize::Op, kv_materialize::kOutputs,
                                        ~kv_materialize::kFaultWord>(a);
         }},
        {"fault.matches", kSafety,
         "fault must be a torch.uint64 tensor with one element, of rank 0 or 1, on {kv.device}, "
         "got shape={shape}, dtype={dtype}, device={device}.",
         [](const kv_materialize::Args& a)
             PRELAUNCH_RULE { return absent_or_fault_word(a.fault, a.kv); }},
        {"fault.no_overlap", kSemantics, "fault must not share a byte with any other argument.",
         [](const kv_materialize::Args& a) PRELAUNCH_RULE {
           return first_written_overlap<kv_materialize::Op, kv_materialize::kFaultWord>(a) ==
                  nullptr;
         }},
    }));

}  // namespace prelaunch
