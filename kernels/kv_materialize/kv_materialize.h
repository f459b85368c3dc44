// kv_materialize: RMSNorm and RoPE of the K of stacked draft layers, and a copy of their V, into
// the layout of a cache.
//
//   k = kv[t, l, h * head_dim ..], v = kv[t, l, (num_kv_heads + h) * head_dim ..]
//   n = k * rsqrt(mean(k^2) + eps[l]) * k_norm_weight[l]                     half = rotary_dim / 2
//   k_out[l, t, h, i]        = n[i] * cos[p, i] - n[half + i] * sin[p, i]    p = positions[t]
//   k_out[l, t, h, half + i] = n[half + i] * cos[p, i] + n[i] * sin[p, i]    for i < half
//   k_out[l, t, h, i]        = n[i]                                          for i >= rotary_dim
//   v_out[l, t, h, i]        = v[i]                                          bit for bit
//
// in f32, rounded once to kv's dtype. A position outside [0, max_pos) makes that token's K rows
// zero, in every layer and head, and is recorded as position_out_of_range with the token's number.
//
// Definition: the op's page, where it is fused_norm_rope_stacked; DFLASH's fused KV
// materialization in sglang. RMSNorm: arXiv:1910.07467. RoPE: arXiv:2104.09864, with NeoX pairing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/common/choices.h"
#include "kernels/common/contract.h"
#include "kernels/common/door.h"
#include "kernels/common/launched.h"

namespace prelaunch::kv_materialize {

struct Args {
  // [total_ctx, n_layers, 2 * num_kv_heads * head_dim], a token's K and then its V; f32, f16 or
  // bf16; any strides on the first two dimensions, the last contiguous. On the CUDA device that
  // all arguments share. Borrowed, read only.
  TensorView kv;
  // [n_layers, head_dim], kv's dtype or f32, last dimension contiguous. Borrowed, read only.
  TensorView k_norm_weight;
  // [n_layers] f32, contiguous. Borrowed, read only.
  TensorView eps;
  // [max_pos, rotary_dim], cosines and then sines; f32 or kv's dtype, last dimension contiguous;
  // max_pos >= 1. Borrowed, read only.
  TensorView cos_sin_cache;
  // [total_ctx] int32 or int64, contiguous. The kernel guards each: see above. Borrowed, read only.
  TensorView positions;
  // Positive.
  std::int64_t num_kv_heads = 1;
  // Elements of a head, at most 1024.
  std::int64_t head_dim = 2;
  // How many of them are rotated: even, 2 to head_dim.
  std::int64_t rotary_dim = 2;
  // [n_layers, total_ctx, num_kv_heads, head_dim], kv's dtype, last dimension contiguous, each
  // element at its own place: the two may be interleaved in one pool. Borrowed, written whole.
  // Absent: the launch allocates them, contiguous.
  TensorView k_out, v_out;
  // The fault word, one uint64 of rank 0 or 1; see kernels/common/fault.h. Borrowed; lowered by
  // tokens that fault, and else not written.
  TensorView fault;
};

struct Op {
  using Args = kv_materialize::Args;
  static constexpr std::string_view kName = "kv_materialize";
  static constexpr auto kFields = std::to_array<Field<Args>>({
      {"kv", Role::kInput, &Args::kv},
      {"k_norm_weight", Role::kInput, &Args::k_norm_weight},
      {"eps", Role::kInput, &Args::eps},
      {"cos_sin_cache", Role::kInput, &Args::cos_sin_cache},
      {"positions", Role::kInput, &Args::positions},
      {"num_kv_heads", &Args::num_kv_heads},
      {"head_dim", &Args::head_dim},
      {"rotary_dim", &Args::rotary_dim},
      {"k_out", Role::kOutput, &Args::k_out, kOptional},
      {"v_out", Role::kOutput, &Args::v_out, kOptional},
      {"fault", Role::kInPlace, &Args::fault, kOptional},
  });
};

// Launches on the tensors' device and the caller's `stream` of that device; never synchronises.
// Errors: a failed allocation or launch, in the result's status.
Launched<Args> launch(const Accepted<Op>& call, Stream stream);

// Compares the result of a launch with the definition, on the host; see ulysses_pack.h. Every
// element within u |ref| + 2^-20 (|n_i cos| + |n_j sin|); K rows outside of the numerical domain of
// the ops' common page are not compared.
std::optional<std::string> verify(const Args& before, const Args& after);

// Fills the inputs with ordinary values, positions in range, and resets the fault word.
void prepare(const Args& args, Choices& choose);

}  // namespace prelaunch::kv_materialize
