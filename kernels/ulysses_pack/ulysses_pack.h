// ulysses_pack: packs q, k and v destination-major for Ulysses sequence parallelism.
//
//   out[d, r, h, c * head_size + x] = (q, k, v)[c][r, d * local_heads + h, x]
//   local_heads = global_heads / world_size;  a bit-exact copy
//
// Definition: the op's page; DeepSpeed-Ulysses (arXiv:2309.14509) for the exchange it prepares.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/common/contract.h"
#include "kernels/common/door.h"
#include "kernels/common/launched.h"

namespace prelaunch::ulysses_pack {

struct Args {
  // [rows, global_heads, head_size], one dtype of 1, 2, 4 or 8 bytes, one CUDA device. Any strides
  // on rows and heads (0 as well: inputs may overlap), head_size contiguous. Borrowed, read only.
  TensorView q, k, v;
  // Ranks of the exchange: positive, divides global_heads.
  std::int64_t world_size = 1;
  // [world_size, rows, global_heads / world_size, 3 * head_size], contiguous, q's dtype and device;
  // shares no byte with q, k or v. Borrowed, written whole. Absent: the launch allocates it.
  TensorView out;
};

struct Op {
  using Args = ulysses_pack::Args;
  static constexpr std::string_view kName = "ulysses_pack";
  static constexpr auto kFields = std::to_array<Field<Args>>({
      {"q", Role::kInput, &Args::q},
      {"k", Role::kInput, &Args::k},
      {"v", Role::kInput, &Args::v},
      {"world_size", &Args::world_size},
      {"out", Role::kOutput, &Args::out, kOptional},
  });
};

// Launches on q's device and the caller's `stream` of that device, whatever the current device is;
// never synchronises. Errors: a failed allocation or launch, in the result's status.
Launched<Args> launch(const Accepted<Op>& call, Stream stream);

// Compares the result of a launch with the definition, on the host. `before` describes the
// arguments as they were, `after` with every output present; both are host-readable here. Returns
// what is wrong first, or nothing.
std::optional<std::string> verify(const Args& before, const Args& after);

}  // namespace prelaunch::ulysses_pack
