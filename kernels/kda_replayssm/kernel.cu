// One block a row and value head (never a quotient of 64 bits: it is a call on the device). The
// state is read once and never built: with the ring's decays
// taken into k_j (every factor a suffix of the sum of g, so at most 1),
//
//   S x = S0 (A * x) + sum_j d_j (W_j k_j . x)
//
// costs L * (K + V) beside the V * K of S0. Only a flush walks its rows a second time, out of the
// cache, to write them. Memory is the limit: a row of S0 is read in 16-byte loads where it is
// aligned, by as many lanes as it has loads, and both products with it are taken in one pass.
#include <algorithm>
#include <cmath>

#include "kernels/common/launch.h"
#include "kernels/common/load_index.h"
#include "kernels/common/load_real.h"
#include "kernels/common/record_fault.h"
#include "kernels/kda_replayssm/kda_replayssm.h"

namespace prelaunch::kda_replayssm {
namespace {

constexpr unsigned kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;
constexpr unsigned kMaxWarps = 32;

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

__device__ float warp_sum(float value) {
  for (unsigned step = kWarp / 2; step > 0; step /= 2) {
    value += __shfl_xor_sync(kAllLanes, value, static_cast<int>(step));
  }
  return value;
}

// Whether an earlier row has the same slot. For all threads of the block together.
__device__ bool is_taken(const Step& p, std::int64_t row, std::int64_t slot) {
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
__device__ Row look_at(const Step& p, std::int64_t row, bool reports) {
  Row out{p.indices[row * p.indices_stride], 0, false, false};
  if (out.slot < 0) return out;
  FaultCode code{};
  if (out.slot >= p.slots) {
    code = FaultCode::kSlotOutOfRange;
  } else if (is_taken(p, row, out.slot)) {
    code = FaultCode::kSlotDuplicated;
  } else {
    out.live = p.write_pos[row * p.write_pos_stride];
    out.runs = out.live >= 0 && out.live < p.L;
    code = FaultCode::kCursorOutOfRange;
  }
  if (!out.runs) {
    if (reports) record_fault(p.fault, static_cast<std::uint64_t>(row), code);
    return out;
  }
  out.flush = out.live == p.L - 1 ||
              (p.force_flush != nullptr && p.force_flush[row * p.force_flush_stride] != 0);
  return out;
}

// The block's shared memory, one number a channel unless said otherwise.
struct Shared {
  float *k, *ek, *eq;        // k; e^g * k; e^g * q * scale
  float *decay, *grow;       // A and e^g
  float *state_k, *state_q;  // A * e^g * k and A * e^g * q * scale: what a row of S0 meets
  float *ring_k, *ring_q;    // a number an entry: W_j k_j . ek and . eq
  float* weighted;           // [entries, K]: W_j k_j

  __device__ explicit Shared(const Step& p) {
    float* next = dynamic_shared<float>();
    for (float** part : {&k, &ek, &eq, &decay, &grow, &state_k, &state_q}) {
      *part = next;
      next += p.K;
    }
    ring_k = next;
    ring_q = next + p.L;
    weighted = next + 2 * p.L;
  }
};

std::size_t shared_bytes(const Step& p) {
  return sizeof(float) * static_cast<std::size_t>(7 * p.K + 2 * p.L + p.L * p.K);
}

// q and k of a row's head: every warp sums for itself.
struct Heads {
  std::int64_t q, k;         // elements of mixed_qkv
  float q_factor, k_factor;  // of the normalisation
  float kq;                  // k . q * scale
};

__device__ Heads read_heads(const Step& p, std::int64_t row, std::int64_t head) {
  Heads h{row * p.qkv_row + head * p.K, row * p.qkv_row + (p.H + head) * p.K, 1, 1, 0};
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  float qq = 0, kk = 0, kq = 0;
  for (int c = lane; c < p.K; c += kWarp) {
    const float q = p.mixed_qkv.load(h.q + c), k = p.mixed_qkv.load(h.k + c);
    qq += q * q;
    kk += k * k;
    kq += k * q;
  }
  if (p.l2norm) {
    h.q_factor = rsqrtf(warp_sum(qq) + 1e-6f);
    h.k_factor = rsqrtf(warp_sum(kk) + 1e-6f);
  }
  h.kq = warp_sum(kq) * h.q_factor * h.k_factor * p.scale;
  return h;
}

// Not with '/', whose exact quotient is a call; past 2^126, where this is 0, so is the sigmoid.
__device__ float sigmoid(float x) { return __fdividef(1, 1 + expf(-x)); }

__device__ float decay_of(const Step& p, float x, float rate) {
  if (p.bounded) return p.lower_bound * sigmoid(rate * x);
  return -rate * (x > 20 ? x : log1pf(expf(x)));
}

// Everything that depends on the channel of K alone, and the entry to append.
__device__ void fill_channels(const Step& p, const Row& r, const Heads& h, const Place& at,
                              const Shared& s) {
  const std::int64_t hv = at.hv();
  const std::int64_t g_ring = r.slot * p.g.slot + hv * p.g.head;
  const std::int64_t k_ring = r.slot * p.k.slot + at.head * p.k.head;
  const float rate = expf(p.A_log.load(hv));
  for (int c = static_cast<int>(threadIdx.x); c < p.K; c += static_cast<int>(blockDim.x)) {
    const std::int64_t channel = hv * p.K + c;
    const float x = p.a.load(at.row * p.HV * p.K + channel) + p.dt_bias.load(channel);
    const float g = decay_of(p, x, rate), grow = expf(g);
    const float k = p.mixed_qkv.load(h.k + c) * h.k_factor;
    const float q = p.mixed_qkv.load(h.q + c) * h.q_factor * p.scale;
    float sum = 0;  // of the decays after entry j
    for (int j = r.live - 1; j >= 0; --j) {
      s.weighted[j * p.K + c] = p.k.tensor.load(k_ring + j * p.k.entry + c) * expf(sum);
      sum += p.g.tensor.load(g_ring + j * p.g.entry + c);
    }
    s.k[c] = k;
    s.ek[c] = grow * k;
    s.eq[c] = grow * q;
    s.decay[c] = expf(sum);
    s.grow[c] = grow;
    s.state_k[c] = s.decay[c] * s.ek[c];
    s.state_q[c] = s.decay[c] * s.eq[c];
    if (r.flush) continue;
    p.g.tensor.store(g_ring + r.live * p.g.entry + c, g);
    if (at.member == 0) p.k.tensor.store(k_ring + r.live * p.k.entry + c, k);
  }
}

// A warp an entry.
__device__ void fill_ring(const Step& p, const Row& r, const Shared& s) {
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const int warps = static_cast<int>(blockDim.x / kWarp);
  for (int j = static_cast<int>(threadIdx.x / kWarp); j < r.live; j += warps) {
    float k = 0, q = 0;
    for (int c = lane; c < p.K; c += kWarp) {
      const float weighted = s.weighted[j * p.K + c];
      k += weighted * s.ek[c];
      q += weighted * s.eq[c];
    }
    k = warp_sum(k);
    q = warp_sum(q);
    if (lane == 0) {
      s.ring_k[j] = k;
      s.ring_q[j] = q;
    }
  }
}

// kVector elements of a row of the state, in one access.
template <class State, int kVector>
struct Chunk {
  static constexpr bool kWide = kVector > 1;

  __device__ static void load(const State* from, float (&to)[kVector]) {
    if constexpr (kWide) {
      const uint4 raw = *reinterpret_cast<const uint4*>(from);
      const unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
      for (int i = 0; i < kVector; ++i) to[i] = part(words, i);
    } else {
      to[0] = to_float(*from);
    }
  }
  __device__ static void store(State* to, const float (&from)[kVector]) {
    if constexpr (kWide) {
      unsigned words[4] = {};
      for (int i = 0; i < kVector; ++i) put(words, i, from[i]);
      *reinterpret_cast<uint4*>(to) = make_uint4(words[0], words[1], words[2], words[3]);
    } else {
      *to = from_float<State>(from[0]);
    }
  }

 private:
  __device__ static float part(const unsigned (&words)[4], int i) {
    if constexpr (sizeof(State) == 4) {
      return __uint_as_float(words[i]);
    } else {
      const unsigned bits = words[i / 2] >> (i % 2 * 16) & 0xffffu;
      return to_float(__ushort_as_bfloat16(static_cast<unsigned short>(bits)));
    }
  }
  __device__ static void put(unsigned (&words)[4], int i, float value) {
    if constexpr (sizeof(State) == 4) {
      words[i] = __float_as_uint(value);
    } else {
      const unsigned bits = __bfloat16_as_ushort(__float2bfloat16_rn(value));
      words[i / 2] |= bits << (i % 2 * 16);
    }
  }
};

// Of one row of V: what the lanes that share it sum to.
struct Products {
  float k = 0, q = 0;
};

template <class State, int kVector>
__device__ Products products_of(const Step& p, const Row& r, const Shared& s, const State* state,
                                std::int64_t d_row, int sub, int lanes) {
  Products sum;
  for (int c = sub * kVector; c < p.K; c += lanes * kVector) {
    float row[kVector];
    Chunk<State, kVector>::load(state + c, row);
    for (int i = 0; i < kVector; ++i) {
      sum.k += row[i] * s.state_k[c + i];
      sum.q += row[i] * s.state_q[c + i];
    }
  }
  for (int j = sub; j < r.live; j += lanes) {
    const float d = p.d.tensor.load(d_row + j * p.d.entry);
    sum.k += d * s.ring_k[j];
    sum.q += d * s.ring_q[j];
  }
  return sum;
}

template <class State, int kVector>
__device__ void flush_row(const Step& p, const Row& r, const Shared& s, State* state,
                          std::int64_t d_row, float delta, int sub, int lanes) {
  for (int c = sub * kVector; c < p.K; c += lanes * kVector) {
    float row[kVector];
    Chunk<State, kVector>::load(state + c, row);
    for (int i = 0; i < kVector; ++i) row[i] *= s.decay[c + i];
    for (int j = 0; j < r.live; ++j) {
      const float d = p.d.tensor.load(d_row + j * p.d.entry);
      for (int i = 0; i < kVector; ++i) row[i] += d * s.weighted[j * p.K + c + i];
    }
    for (int i = 0; i < kVector; ++i) row[i] = row[i] * s.grow[c + i] + delta * s.k[c + i];
    Chunk<State, kVector>::store(state + c, row);
  }
}

// Lanes for a row of the state: a power of two, so that a warp holds whole rows.
template <int kVector>
__device__ int lanes_of_row(int K) {
  int lanes = 1;
  while (lanes < static_cast<int>(kWarp) && lanes * kVector < K) lanes *= 2;
  return lanes;
}

template <class State, int kVector>
__device__ void run_rows(const Step& p, const Row& r, const Shared& s, float kq, const Place& at) {
  const std::int64_t row = at.row, hv = at.hv();
  const int lanes = lanes_of_row<kVector>(p.K), at_once = static_cast<int>(kWarp) / lanes;
  const int lane = static_cast<int>(threadIdx.x % kWarp), sub = lane % lanes;
  const int warp = static_cast<int>(threadIdx.x / kWarp);
  const int step = static_cast<int>(blockDim.x / kWarp) * at_once;
  State* const head = static_cast<State*>(p.state) + r.slot * p.state_slot + hv * p.state_head;
  const std::int64_t d_ring = r.slot * p.d.slot + hv * p.d.head;
  const std::int64_t values = row * p.qkv_row + 2 * p.H * p.K + hv * p.V;
  const float beta = sigmoid(p.b.load(row * p.b_row + hv));
  // All lanes of a warp go round together: the sums are taken by all.
  for (int first = warp * at_once; first < p.V; first += step) {
    const int v = first + lane / lanes;
    const bool inside = v < p.V;
    Products sum;
    if (inside) {
      sum = products_of<State, kVector>(p, r, s, head + v * p.state_row, d_ring + v, sub, lanes);
    }
    for (int mask = lanes / 2; mask > 0; mask /= 2) {
      sum.k += __shfl_xor_sync(kAllLanes, sum.k, mask);
      sum.q += __shfl_xor_sync(kAllLanes, sum.q, mask);
    }
    if (!inside) continue;
    const float delta = beta * (p.mixed_qkv.load(values + v) - sum.k);
    if (sub == 0) p.out.store((row * p.HV + hv) * p.V + v, sum.q + delta * kq);
    if (r.flush) {
      flush_row<State, kVector>(p, r, s, head + v * p.state_row, d_ring + v, delta, sub, lanes);
    } else if (sub == 0) {
      p.d.tensor.store(d_ring + r.live * p.d.entry + v, delta);
    }
  }
}

template <class State, int kVector>
__device__ void run_head(const Step& p, const Place& at) {
  const std::int64_t hv = at.hv();
  const Row r = look_at(p, at.row, hv == 0 && threadIdx.x == 0);
  if (!r.runs) {
    for (int v = static_cast<int>(threadIdx.x); v < p.V; v += static_cast<int>(blockDim.x)) {
      p.out.store((at.row * p.HV + hv) * p.V + v, 0);
    }
    return;
  }
  const Shared s(p);
  const Heads h = read_heads(p, at.row, at.head);
  fill_channels(p, r, h, at, s);
  __syncthreads();
  fill_ring(p, r, s);
  __syncthreads();
  run_rows<State, kVector>(p, r, s, h.kq, at);
  __syncthreads();  // before the next head overwrites what this one reads
}

template <class State, int kVector>
__global__ void __launch_bounds__(128, 8) step_kernel(const Step p) {
  for (std::int64_t row = blockIdx.x; row < p.batch; row += gridDim.x) {
    for (std::int64_t head = blockIdx.y; head < p.H; head += gridDim.y) {
      for (std::int64_t member = blockIdx.z; member < p.group; member += gridDim.z) {
        run_head<State, kVector>(p, {row, head, member, p.group});
      }
    }
  }
}

// The stride of a dimension of size 1 means nothing and may be anything.
std::int64_t stride_of(const TensorView& t, std::size_t d) {
  return t.shape[d] > 1 ? t.strides[d] : 0;
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
