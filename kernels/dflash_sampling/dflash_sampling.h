// dflash_sampling: how many draft tokens of each request sampled verification accepts, and the
// token that is drawn after them.
//
//   row r of a request is the target model's distribution after r drafts:
//     m(x) = exp((logit(x) - max) / temperature), kept where logit(x) is at least the top_k-th
//     largest, then where the descending cumulative mass has not reached top_p before; p = m over
//     the kept mass
//   r = 0; while r < n - 1, with c = candidates[b, r + 1] and u = uniform_samples[b, r]:
//     p(c) > 0 and (u < p(c) / max(threshold_acc, 1e-9) or p(c) >= threshold_single) accepts c and
//     moves on to r + 1; anything else stops
//   accept_len[b] = r
//   bonus[b]      = a token of row r, without the rejected c: the first whose cumulative mass, in
//                   vocabulary order, exceeds uniform_samples_for_final_sampling[b] * kept mass
//
// Definition: the op's page; DFLASH's speculative sampling in sglang.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/common/choices.h"
#include "kernels/common/contract.h"
#include "kernels/common/door.h"
#include "kernels/common/launched.h"

namespace prelaunch::dflash_sampling {

struct Args {
  // [bs, n], int32 or int64, any strides, one CUDA device; column 0 is the current token and is
  // not read. bs >= 1, 1 <= n <= 1024. A token outside [0, vocab) that is reached is rejected and
  // recorded. Borrowed, read only, as all inputs are.
  TensorView candidates;
  // [bs * n, vocab], f32, f16 or bf16, contiguous in vocab, vocab >= 1: row b * n + r is row r of
  // request b. A row that is reached and holds NaN, +inf or nothing finite is recorded.
  TensorView next_token_logits;
  // [bs] or [bs, 1], f32, any stride: finite and at least 2^-126, or row 0 is recorded.
  TensorView temperatures;
  // [bs], int32 or int64, any stride; clamped to [1, vocab]. Absent: off.
  TensorView top_ks;
  // [bs], f32, any stride; 1 and more is off. Absent: off.
  TensorView top_ps;
  // [bs, n], f32, any strides: coins in [0, 1), one a draft; the last column is not read.
  TensorView uniform_samples;
  // [bs], f32, any stride: the coins that draw the bonus tokens.
  TensorView uniform_samples_for_final_sampling;
  // Both finite, in [0, 1].
  float threshold_single = 1, threshold_acc = 1;
  // [bs] int32, contiguous. Borrowed, written whole. Absent: the launch allocates it.
  TensorView accept_len;
  // [bs] int64, contiguous; -1 where the distribution or a coin is bad. Likewise.
  TensorView bonus;
  // One uint64: keeps the smallest of what it holds and of each fault's word; see fault.h.
  TensorView fault;
};

struct Op {
  using Args = dflash_sampling::Args;
  static constexpr std::string_view kName = "dflash_sampling";
  static constexpr auto kFields = std::to_array<Field<Args>>({
      {"candidates", Role::kInput, &Args::candidates},
      {"next_token_logits", Role::kInput, &Args::next_token_logits},
      {"temperatures", Role::kInput, &Args::temperatures},
      {"top_ks", Role::kInput, &Args::top_ks, kOptional},
      {"top_ps", Role::kInput, &Args::top_ps, kOptional},
      {"uniform_samples", Role::kInput, &Args::uniform_samples},
      {"uniform_samples_for_final_sampling", Role::kInput,
       &Args::uniform_samples_for_final_sampling},
      {"threshold_single", &Args::threshold_single},
      {"threshold_acc", &Args::threshold_acc},
      {"accept_len", Role::kOutput, &Args::accept_len, kOptional},
      {"bonus", Role::kOutput, &Args::bonus, kOptional},
      {"fault", Role::kInPlace, &Args::fault, kOptional},
  });
};

// Launches on the tensors' device and the caller's `stream` of that device; never synchronises.
// Errors: a failed allocation or launch, in the result's status.
Launched<Args> launch(const Accepted<Op>& call, Stream stream);

// Compares the result of a launch with the definition, on the host; see ulysses_pack.h. Takes
// whatever the page calls right.
std::optional<std::string> verify(const Args& before, const Args& after);

// Fills the inputs with distributions, parameters and coins that no guard objects to, and the fault
// word with kNoFault.
void prepare(const Args& args, Choices& choose);

}  // namespace prelaunch::dflash_sampling
