// What a step is given and what its guards make of a row. For kernel.cu only.
#pragma once

#include <cstdint>

#include "kernels/common/launch.h"
#include "kernels/common/load_index.h"
#include "kernels/common/load_real.h"
#include "kernels/common/record_fault.h"

namespace prelaunch::kda_replayssm {

inline constexpr unsigned kWarp = 32;
inline constexpr unsigned kAllLanes = 0xffffffffu;
inline constexpr unsigned kMaxWarps = 32;

// A ring: [slots, heads, L, channels], the last contiguous.
struct Ring {
  RealTensor tensor;
  std::int64_t slot, head, entry;  // strides
};

struct Step {
  RealTensor mixed_qkv, a, b, A_log, dt_bias, out;
  std::int64_t qkv_row, b_row;
  IndexSource indices;
  std::int64_t indices_stride;
  const std::int32_t* write_pos;
  std::int64_t write_pos_stride;
  const std::int32_t* force_flush;  // null: absent
  std::int64_t force_flush_stride;
  void* state;
  std::int64_t state_slot, state_head, state_row;
  Ring d, k, g;
  std::int64_t batch, slots;
  std::int64_t H, HV, group;  // value heads of a q/k head
  int K, V, L;
  float scale;
  bool l2norm, bounded;
  float lower_bound;
  unsigned long long* fault;
};

// A row and value head.
struct Place {
  std::int64_t row, head, member;  // of the head's group
  std::int64_t group;
  __device__ std::int64_t hv() const { return head * group + member; }
};

// What a row is to do, from inputs alone.
struct Row {
  std::int64_t slot;
  int live;  // ring entries
  bool flush;
  bool runs;
};

struct DuplicateFlags {
  bool found[kMaxWarps];
};

__device__ inline float warp_sum(float value) {
  for (unsigned step = kWarp / 2; step > 0; step /= 2) {
    value += __shfl_xor_sync(kAllLanes, value, static_cast<int>(step));
  }
  return value;
}

// Whether an earlier row has the same slot. For all threads of the block together.
__device__ inline bool is_taken(const Step& p, std::int64_t row, std::int64_t slot) {
  bool taken = false;
  for (std::int64_t i = threadIdx.x; i < row; i += blockDim.x) {
    taken = taken || p.indices[i * p.indices_stride] == slot;
  }
  DuplicateFlags& flags = shared<DuplicateFlags>();
  const bool in_warp = __any_sync(kAllLanes, taken) != 0;
  if (threadIdx.x % kWarp == 0) flags.found[threadIdx.x / kWarp] = in_warp;
  __syncthreads();
  bool found = false;
  for (unsigned w = 0; w < blockDim.x / kWarp; ++w) found = found || flags.found[w];
  __syncthreads();  // before the next row writes them
  return found;
}

// The same for all threads of the block; the first head's block reports.
__device__ inline Row look_at(const Step& p, const Place& at) {
  const std::int64_t row = at.row;
  Row out{p.indices[row * p.indices_stride], 0, false, false};
  if (out.slot < 0) return out;
  FaultCode code = FaultCode::kSlotOutOfRange;
  if (out.slot < p.slots) {
    out.live = p.write_pos[row * p.write_pos_stride];
    const bool taken = is_taken(p, row, out.slot);
    code = taken ? FaultCode::kSlotDuplicated : FaultCode::kCursorOutOfRange;
    out.runs = !taken && out.live >= 0 && out.live < p.L;
  }
  if (!out.runs) {
    if (at.hv() == 0 && threadIdx.x == 0) {
      record_fault(p.fault, static_cast<std::uint64_t>(row), code);
    }
    return out;
  }
  out.flush = out.live == p.L - 1 ||
              (p.force_flush != nullptr && p.force_flush[row * p.force_flush_stride] != 0);
  return out;
}

}  // namespace prelaunch::kda_replayssm
