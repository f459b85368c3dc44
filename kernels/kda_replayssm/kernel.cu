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
__device__ Row look_at(const Step& p, const Place& at) {
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

// Rows of shared memory start at a multiple of 16 bytes.
__host__ __device__ constexpr int padded(int channels) { return (channels + 3) / 4 * 4; }

// The block's shared memory, one number a channel unless said otherwise. (Pointers to each part
// would fill a third of the registers.)
struct Shared {
  float* base;
  int K, V, L;  // K and V padded

  __device__ explicit Shared(const Step& p)
      : base(dynamic_shared<float>()), K(padded(p.K)), V(padded(p.V)), L(p.L) {}

  __device__ float* k() const { return base; }
  __device__ float* ek() const { return base + K; }         // e^g * k
  __device__ float* eq() const { return base + 2 * K; }     // e^g * q * scale
  __device__ float* decay() const { return base + 3 * K; }  // A
  __device__ float* grow() const { return base + 4 * K; }   // e^g
  // What a row of S0 meets: A * e^g * k and A * e^g * q * scale.
  __device__ float* state_k() const { return base + 5 * K; }
  __device__ float* state_q() const { return base + 6 * K; }
  // W_j k_j and d_j of an entry.
  __device__ float* weighted(int j) const { return base + (7 + j) * K; }
  __device__ float* d(int j) const { return base + (7 + L) * K + j * V; }
  // A number an entry: W_j k_j . ek and . eq.
  __device__ float* ring_k() const { return base + (7 + L) * K + L * V; }
  __device__ float* ring_q() const { return ring_k() + L; }
};

std::size_t shared_bytes(const Step& p) {
  const int K = padded(p.K), V = padded(p.V);
  return sizeof(float) * static_cast<std::size_t>(7 * K + p.L * (K + V + 2));
}

// Numbers of shared memory, in 16-byte loads where they are fours; those start at a multiple.
template <int kCount>
__device__ void load_shared(const float* from, float (&to)[kCount]) {
  if constexpr (kCount % 4 != 0) {
    for (int i = 0; i < kCount; ++i) to[i] = from[i];
  } else {
#pragma unroll
    for (int i = 0; i < kCount; i += 4) {
      const float4 four = *reinterpret_cast<const float4*>(from + i);
      to[i] = four.x;
      to[i + 1] = four.y;
      to[i + 2] = four.z;
      to[i + 3] = four.w;
    }
  }
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

// Ring entries that are loaded at once.
constexpr int kAtOnce = 4;

// W_j k_j of the live entries of one channel; gives the sum of all their decays.
__device__ float weigh_ring(const Step& p, const Row& r, const Shared& s, std::int64_t k_ring,
                            std::int64_t g_ring, int c) {
  float sum = 0;  // of the decays after the entry
#pragma unroll 1
  for (int first = (r.live - 1) / kAtOnce * kAtOnce; first >= 0; first -= kAtOnce) {
    const int count = r.live - first;
    float k[kAtOnce], g[kAtOnce];
    p.k.tensor.load(k_ring + first * p.k.entry + c, p.k.entry, count, k);
    p.g.tensor.load(g_ring + first * p.g.entry + c, p.g.entry, count, g);
#pragma unroll
    for (int i = kAtOnce - 1; i >= 0; --i) {
      if (i >= count) continue;
      s.weighted(first + i)[c] = k[i] * expf(sum);
      sum += g[i];
    }
  }
  return sum;
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
    s.k()[c] = k;
    s.ek()[c] = grow * k;
    s.eq()[c] = grow * q;
    s.decay()[c] = expf(weigh_ring(p, r, s, k_ring, g_ring, c));
    s.grow()[c] = grow;
    s.state_k()[c] = s.decay()[c] * s.ek()[c];
    s.state_q()[c] = s.decay()[c] * s.eq()[c];
    if (r.flush) continue;
    p.g.tensor.store(g_ring + r.live * p.g.entry + c, g);
    if (at.member == 0) p.k.tensor.store(k_ring + r.live * p.k.entry + c, k);
  }
}

// The live entries' d, and 0 for the channels that pad a row.
__device__ void fill_values(const Step& p, const Row& r, const Place& at, const Shared& s) {
  const std::int64_t d_ring = r.slot * p.d.slot + at.hv() * p.d.head;
  for (int v = static_cast<int>(threadIdx.x); v < s.V; v += static_cast<int>(blockDim.x)) {
#pragma unroll 1
    for (int first = 0; first < r.live; first += kAtOnce) {
      const int count = r.live - first;
      float d[kAtOnce];
      p.d.tensor.load(d_ring + first * p.d.entry + v, p.d.entry, v < p.V ? count : 0, d);
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        if (i < count) s.d(first + i)[v] = d[i];
      }
    }
  }
}

// A warp an entry.
__device__ void fill_ring(const Step& p, const Row& r, const Shared& s) {
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const int warps = static_cast<int>(blockDim.x / kWarp);
  for (int j = static_cast<int>(threadIdx.x / kWarp); j < r.live; j += warps) {
    float k = 0, q = 0;
    for (int c = lane; c < p.K; c += kWarp) {
      const float weighted = s.weighted(j)[c];
      k += weighted * s.ek()[c];
      q += weighted * s.eq()[c];
    }
    k = warp_sum(k);
    q = warp_sum(q);
    if (lane == 0) {
      s.ring_k()[j] = k;
      s.ring_q()[j] = q;
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

// Rows of the state that the same lanes work on together: as many loads are under way at once.
constexpr int kRows = 2;

// One number a row.
struct PerRow {
  float row[kRows] = {};
};

// The rows' elements from channel c on; 0 for rows past the last.
template <class State, int kVector>
__device__ void load_rows(const State* state, std::int64_t stride, int rows,
                          float (&to)[kRows][kVector]) {
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    if (r < rows) {
      Chunk<State, kVector>::load(state + r * stride, to[r]);
    } else {
      for (int i = 0; i < kVector; ++i) to[r][i] = 0;
    }
  }
}

// S (e^g * k) and S (e^g * q * scale) of rows v, v + 1, ..: this lane's part.
template <class State, int kVector>
__device__ void multiply_rows(const Step& p, const Row& r, const Shared& s, const State* state,
                              int v, int sub, int lanes, PerRow& k, PerRow& q) {
#pragma unroll 1
  for (int c = sub * kVector; c < p.K; c += lanes * kVector) {
    float row[kRows][kVector], with_k[kVector], with_q[kVector];
    load_rows<State, kVector>(state + c, p.state_row, p.V - v, row);
    load_shared(s.state_k() + c, with_k);
    load_shared(s.state_q() + c, with_q);
#pragma unroll
    for (int i = 0; i < kRows * kVector; ++i) {
      k.row[i / kVector] += row[i / kVector][i % kVector] * with_k[i % kVector];
      q.row[i / kVector] += row[i / kVector][i % kVector] * with_q[i % kVector];
    }
  }
#pragma unroll 1
  for (int j = sub; j < r.live; j += lanes) {
    float d[kRows];
    load_shared(s.d(j) + v, d);
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      k.row[i] += d[i] * s.ring_k()[j];
      q.row[i] += d[i] * s.ring_q()[j];
    }
  }
}

// S * e^g + delta k^T into rows v, v + 1, ..
template <class State, int kVector>
__device__ void flush_rows(const Step& p, const Row& r, const Shared& s, State* state, int v,
                           const PerRow& delta, int sub, int lanes) {
#pragma unroll 1
  for (int c = sub * kVector; c < p.K; c += lanes * kVector) {
    float row[kRows][kVector], channel[kVector];
    load_rows<State, kVector>(state + c, p.state_row, p.V - v, row);
    load_shared(s.decay() + c, channel);
#pragma unroll
    for (int i = 0; i < kRows * kVector; ++i) row[i / kVector][i % kVector] *= channel[i % kVector];
#pragma unroll 1
    for (int j = 0; j < r.live; ++j) {
      float d[kRows];
      load_shared(s.d(j) + v, d);
      load_shared(s.weighted(j) + c, channel);
#pragma unroll
      for (int i = 0; i < kRows * kVector; ++i) {
        row[i / kVector][i % kVector] += d[i / kVector] * channel[i % kVector];
      }
    }
    float grow[kVector];
    load_shared(s.grow() + c, grow);
    load_shared(s.k() + c, channel);
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      for (int e = 0; e < kVector; ++e) {
        row[i][e] = row[i][e] * grow[e] + delta.row[i] * channel[e];
      }
      if (v + i < p.V) Chunk<State, kVector>::store(state + i * p.state_row + c, row[i]);
    }
  }
}

// Lanes for a row of the state: a power of two, so that a warp holds whole rows.
template <int kVector>
__device__ int lanes_of_row(int K) {
  int lanes = 1;
  while (lanes < static_cast<int>(kWarp) && lanes * kVector < K) lanes *= 2;
  return lanes;
}

// Sums over the lanes that share rows; all lanes of the warp take part.
__device__ void sum_over(int lanes, PerRow& of) {
  for (int mask = lanes / 2; mask > 0; mask /= 2) {
#pragma unroll
    for (int i = 0; i < kRows; ++i) of.row[i] += __shfl_xor_sync(kAllLanes, of.row[i], mask);
  }
}

template <class State, int kVector>
__device__ void run_rows(const Step& p, const Row& r, const Shared& s, float kq, const Place& at) {
  const std::int64_t hv = at.hv();
  const int lanes = lanes_of_row<kVector>(p.K);
  const int lane = static_cast<int>(threadIdx.x % kWarp), sub = lane % lanes;
  const int of_warp = static_cast<int>(kWarp) / lanes * kRows;
  const int warp = static_cast<int>(threadIdx.x / kWarp);
  const int step = static_cast<int>(blockDim.x / kWarp) * of_warp;
  State* const head = static_cast<State*>(p.state) + r.slot * p.state_slot + hv * p.state_head;
  const std::int64_t d_entry = r.slot * p.d.slot + hv * p.d.head + r.live * p.d.entry;
  const std::int64_t values = at.row * p.qkv_row + 2 * p.H * p.K + hv * p.V;
  const float beta = sigmoid(p.b.load(at.row * p.b_row + hv));
  // All lanes of a warp go round together: the sums are taken by all.
  for (int first = warp * of_warp; first < p.V; first += step) {
    const int v = first + lane / lanes * kRows;
    PerRow k, q, delta;
    if (v < p.V) {
      p.mixed_qkv.load(values + v, 1, p.V - v, delta.row);
      multiply_rows<State, kVector>(p, r, s, head + v * p.state_row, v, sub, lanes, k, q);
    }
    sum_over(lanes, k);
    sum_over(lanes, q);
    if (v >= p.V) continue;
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      delta.row[i] = beta * (delta.row[i] - k.row[i]);
      if (i % lanes != sub || v + i >= p.V) continue;
      p.out.store((at.row * p.HV + hv) * p.V + v + i, q.row[i] + delta.row[i] * kq);
      if (!r.flush) p.d.tensor.store(d_entry + v + i, delta.row[i]);
    }
    if (r.flush) {
      flush_rows<State, kVector>(p, r, s, head + v * p.state_row, v, delta, sub, lanes);
    }
  }
}

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

// Blocks of a multiprocessor: as many as need no register to be spilled.
template <int kVector>
inline constexpr int kBlocks = kVector == 4   ? 8
                               : kVector == 8 ? 7
                                              : 6;

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
