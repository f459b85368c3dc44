// kda_replayssm: one decode step of Kimi Delta Attention on a state that is kept as a checkpoint
// and a ring of the updates since (ReplaySSM), so that a step reads the state and writes one ring
// entry.
//
// Per batch row b with slot s = ssm_state_indices[b] and m = write_pos[b] live ring entries, per
// value head hv with its q/k head h = hv / (HV / H), all in f32:
//
//   q, k        of mixed_qkv, L2-normalised when use_qk_l2norm: x / sqrt(sum(x^2) + 1e-6)
//   x         = a + dt_bias                                          per K channel
//   g         = lower_bound absent ? -exp(A_log) * softplus(x)
//                                  : lower_bound * sigmoid(exp(A_log) * x)
//   beta      = sigmoid(b)
//   S         = S0 * exp(sum_j g_j) + sum_{j<m} d_j (k_j * exp(sum_{i>j} g_i))^T      [V, K]
//   delta     = beta * (v - S (e^g * k))
//   o         = S (e^g * q * scale) + delta * (k . q * scale)
//   flush (m == L - 1, or force_flush[b] != 0):  S0 <- S * e^g + delta k^T
//   otherwise delta, k, g become ring entry m; S0 stays
//
// Definition: the op's page; Kimi Delta Attention (arXiv:2510.26692), ReplaySSM in sglang.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/common/choices.h"
#include "kernels/common/contract.h"
#include "kernels/common/door.h"
#include "kernels/common/launched.h"

namespace prelaunch::kda_replayssm {

// Limits of the contract.
inline constexpr std::int64_t kMaxChannels = 256;  // of K and of V
inline constexpr std::int64_t kMaxRing = 64;       // of L

// 'io' is mixed_qkv's dtype: f32, f16 or bf16. All tensors lie on one CUDA device; all are
// borrowed.
struct Args {
  // [B, 2 * H * K + HV * V]: q, then k, then v. Last dimension contiguous. Read.
  TensorView mixed_qkv;
  // [B, HV * K] or [B, HV, K], io, contiguous. Read.
  TensorView a;
  // [B, HV], io, last dimension contiguous. Read.
  TensorView b;
  // HV elements of any rank, f32 or io, contiguous. Read.
  TensorView A_log;
  // [HV * K] or [HV, K], f32 or io, contiguous. Read.
  TensorView dt_bias;
  // Finite; multiplies q.
  float scale = 1;
  // [slots, HV, V, K], f32 or bf16, last dimension contiguous, other strides free: the checkpoints.
  // Read every step, written on a flush.
  TensorView initial_state;
  // The rings: [slots, HV, L, V] and [slots, H, L, K] of io, f32 or initial_state's dtype, and
  // [slots, HV, L, K] f32. Last dimension contiguous, other strides free. 1 <= L <= 64. The entries
  // before write_pos are read, the one at write_pos is written; those after it are neither.
  TensorView d_cache, k_cache, g_cache;
  // [B, 1, HV, V], io, contiguous. Written whole.
  TensorView out;
  // [B], int32 or int64, any stride. Below 0: padding, out is 0 and nothing else is touched. Read.
  TensorView ssm_state_indices;
  // [B], int32, any stride: live ring entries, below L. Read.
  TensorView write_pos;
  // [B], int32, any stride: not 0 flushes the row now. Absent: no row is forced. Read.
  TensorView force_flush;
  bool use_qk_l2norm = false;
  // Absent, or finite and at most 0.
  std::optional<float> lower_bound;
  // The fault word: one uint64. Absent: faults are not reported.
  TensorView fault;
};

struct Op {
  using Args = kda_replayssm::Args;
  static constexpr std::string_view kName = "kda_replayssm";
  static constexpr auto kFields = std::to_array<Field<Args>>({
      {"mixed_qkv", Role::kInput, &Args::mixed_qkv},
      {"a", Role::kInput, &Args::a},
      {"b", Role::kInput, &Args::b},
      {"A_log", Role::kInput, &Args::A_log},
      {"dt_bias", Role::kInput, &Args::dt_bias},
      {"scale", &Args::scale},
      {"initial_state", Role::kInPlace, &Args::initial_state},
      {"d_cache", Role::kInPlace, &Args::d_cache},
      {"k_cache", Role::kInPlace, &Args::k_cache},
      {"g_cache", Role::kInPlace, &Args::g_cache},
      {"out", Role::kOutput, &Args::out},
      {"ssm_state_indices", Role::kInput, &Args::ssm_state_indices},
      {"write_pos", Role::kInput, &Args::write_pos},
      {"force_flush", Role::kInput, &Args::force_flush, kOptional},
      {"use_qk_l2norm", &Args::use_qk_l2norm},
      {"lower_bound", &Args::lower_bound},
      {"fault", Role::kInPlace, &Args::fault, kOptional},
  });
};

// Launches on mixed_qkv's device and the caller's `stream` of that device; never synchronises.
// Errors: a failed launch, in the result's status. Values that only the device can read are guarded
// there: a row whose slot is out of range or was taken by an earlier row, or whose write_pos is
// outside of the ring, gives out = 0, touches nothing else and is recorded in `fault`.
Launched<Args> launch(const Accepted<Op>& call, Stream stream);

// Compares the result of a launch with the definition, on the host; see ulysses_pack.h.
std::optional<std::string> verify(const Args& before, const Args& after);

// Fills the arguments with the values of an ordinary step: slots of their own, cursors inside the
// ring, decays of at most 1, NaN behind the cursors.
void prepare(const Args& args, Choices& choose);

}  // namespace prelaunch::kda_replayssm
