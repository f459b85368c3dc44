// One block a row and value head (never by a quotient of 64 bits: it is a call on the device). The
// state is read once and never built: with the ring's decays taken into k_j (every factor a suffix
// of the sum of g, so at most 1),
//
//   S x = S0 (A * x) + sum_j d_j (W_j k_j . x)
//
// costs L * (K + V) beside the V * K of S0. Only a flush walks its rows a second time, out of the
// cache, to write them. Memory is the limit: a row of S0 is read in 16-byte loads where it is
// aligned, by as many lanes as it has loads, two rows at a time, and both products with it are
// taken in one pass.
#include <algorithm>

#include "kernels/kda_replayssm/kda_replayssm.h"
#include "kernels/kda_replayssm/rows.h"

namespace prelaunch::kda_replayssm {
namespace {

template <class State, int kVector>
__device__ void run_head(const Step& p, const Place& at) {
  const std::int64_t hv = at.hv();
  const Row r = look_at(p, at);
  if (!r.runs) {
    for (int v = static_cast<int>(threadIdx.x); v < p.V; v += static_cast<int>(blockDim.x)) {
      p.out.store((at.row * p.HV + hv) * p.V + v, 0);
    }
    return;
  }
  const Shared s(p);
  const Heads h = read_heads(p, at.row, at.head);
  fill_channels(p, r, h, at, s);
  fill_values(p, r, at, s);
  __syncthreads();
  fill_ring(p, r, s);
  __syncthreads();
  run_rows<State, kVector>(p, r, s, h.kq, at);
  __syncthreads();  // before the next head overwrites what this one reads
}

template <class State, int kVector>
__global__ void __launch_bounds__(128, kBlocks<kVector>) step_kernel(const Step p) {
  for (std::int64_t row = blockIdx.x; row < p.batch; row += gridDim.x) {
    for (std::int64_t head = blockIdx.y; head < p.H; head += gridDim.y) {
      for (std::int64_t member = blockIdx.z; member < p.group; member += gridDim.z) {
        run_head<State, kVector>(p, {row, head, member, p.group});
      }
    }
  }
}

Ring ring(const TensorView& t) {
  return {real_tensor(t), stride_of(t, 0), stride_of(t, 1), stride_of(t, 2)};
}

const std::int32_t* int32s(const TensorView& t) {
  return reinterpret_cast<const std::int32_t*>(t.address);
}

Step step_of(const Args& a) {
  return {.mixed_qkv = real_tensor(a.mixed_qkv),
          .a = real_tensor(a.a),
          .b = real_tensor(a.b),
          .A_log = real_tensor(a.A_log),
          .dt_bias = real_tensor(a.dt_bias),
          .out = real_tensor(a.out),
          .qkv_row = stride_of(a.mixed_qkv, 0),
          .b_row = stride_of(a.b, 0),
          .indices = index_source(a.ssm_state_indices),
          .indices_stride = stride_of(a.ssm_state_indices, 0),
          .write_pos = int32s(a.write_pos),
          .write_pos_stride = stride_of(a.write_pos, 0),
          .force_flush = a.force_flush.given ? int32s(a.force_flush) : nullptr,
          .force_flush_stride = a.force_flush.given ? stride_of(a.force_flush, 0) : 0,
          .state = reinterpret_cast<void*>(a.initial_state.address),
          .state_slot = stride_of(a.initial_state, 0),
          .state_head = stride_of(a.initial_state, 1),
          .state_row = stride_of(a.initial_state, 2),
          .d = ring(a.d_cache),
          .k = ring(a.k_cache),
          .g = ring(a.g_cache),
          .batch = a.mixed_qkv.shape[0],
          .slots = a.initial_state.shape[0],
          .H = a.k_cache.shape[1],
          .HV = a.initial_state.shape[1],
          .group = a.initial_state.shape[1] / a.k_cache.shape[1],
          .K = static_cast<int>(a.initial_state.shape[3]),
          .V = static_cast<int>(a.initial_state.shape[2]),
          .L = static_cast<int>(a.d_cache.shape[2]),
          .scale = a.scale,
          .l2norm = a.use_qk_l2norm,
          .bounded = a.lower_bound.has_value(),
          .lower_bound = a.lower_bound.value_or(0),
          .fault = reinterpret_cast<unsigned long long*>(a.fault.given ? a.fault.address : 0)};
}

// Whether every row of the state starts at a multiple of 16 bytes and is a whole number of them.
bool in_vectors(const TensorView& state) {
  const auto bytes = static_cast<std::uint64_t>(state.dtype.bytes());
  std::uint64_t bits = state.address | static_cast<std::uint64_t>(state.shape[3]) * bytes;
  for (const std::size_t d : {0u, 1u, 2u}) {
    bits |= static_cast<std::uint64_t>(stride_of(state, d)) * bytes;
  }
  return bits % 16 == 0;
}

// Blocks of a grid's dimension: what is past its limit is walked.
unsigned blocks_for(std::int64_t count, std::int64_t limit) {
  return static_cast<unsigned>(std::clamp<std::int64_t>(count, 1, limit));
}

template <class State, int kVector>
Status launch_as(const Args& a, Stream stream) {
  const Step p = step_of(a);
  const door::Grid grid{.blocks = dim3(blocks_for(p.batch, (std::int64_t{1} << 31) - 1),
                                       blocks_for(p.H, 65535), blocks_for(p.group, 65535)),
                        .threads = dim3(door::threads(128)),
                        .shared_bytes = shared_bytes(p)};
  return door::launch<Op>(a, a.mixed_qkv.device, grid, stream, step_kernel<State, kVector>, p);
}

template <class State>
Status launch_state(const Args& a, Stream stream) {
  constexpr int kVector = 16 / sizeof(State);
  return in_vectors(a.initial_state) ? launch_as<State, kVector>(a, stream)
                                     : launch_as<State, 1>(a, stream);
}

}  // namespace

Launched<Args> launch(const Accepted<Op>& call, Stream stream) {
  Launched<Args> result{{}, call.args()};
  const Args& a = result.args;
  const door::DeviceGuard guard(a.mixed_qkv.device.index);
  result.status = a.initial_state.dtype == kFloat32 ? launch_state<float>(a, stream)
                                                    : launch_state<__nv_bfloat16>(a, stream);
  return result;
}

}  // namespace prelaunch::kda_replayssm
