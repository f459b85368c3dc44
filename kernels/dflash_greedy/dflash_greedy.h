// dflash_greedy: how many draft tokens of each request greedy verification accepts, and the token
// that the target model adds.
//
//   accept_len[b] = number of j = 1, 2, .. with candidates[b, j] == target_predict[b, j - 1], up to
//                   the first that differs
//   bonus[b]      = target_predict[b, accept_len[b]]
//
// Definition: the op's page; DFLASH's greedy verification in sglang.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/common/choices.h"
#include "kernels/common/contract.h"
#include "kernels/common/door.h"
#include "kernels/common/launched.h"

namespace prelaunch::dflash_greedy {

struct Args {
  // [bs, n], int32 or int64, any strides, one CUDA device; column 0 is the current token and is
  // not read. bs >= 1, 1 <= n <= 2^31. Borrowed, read only.
  TensorView candidates;
  // [bs, n] like candidates, int32 or int64 of its own. Borrowed, read only.
  TensorView target_predict;
  // [bs] int32, contiguous. Borrowed, written whole. Absent: the launch allocates it.
  TensorView accept_len;
  // [bs] int64, contiguous: the target's token as read, sign-extended. Likewise.
  TensorView bonus;
};

struct Op {
  using Args = dflash_greedy::Args;
  static constexpr std::string_view kName = "dflash_greedy";
  static constexpr auto kFields = std::to_array<Field<Args>>({
      {"candidates", Role::kInput, &Args::candidates},
      {"target_predict", Role::kInput, &Args::target_predict},
      {"accept_len", Role::kOutput, &Args::accept_len, kOptional},
      {"bonus", Role::kOutput, &Args::bonus, kOptional},
  });
};

// Launches on the tensors' device and the caller's `stream` of that device; never synchronises.
// Errors: a failed allocation or launch, in the result's status.
Launched<Args> launch(const Accepted<Op>& call, Stream stream);

// Compares the result of a launch with the definition, on the host; see ulysses_pack.h.
std::optional<std::string> verify(const Args& before, const Args& after);

// Fills the inputs with tokens that agree up to a place of each row's own.
void prepare(const Args& args, Choices& choose);

}  // namespace prelaunch::dflash_greedy
