// A block's shared memory, and how it is filled: all that a row and value head needs beside the
// rows of its state. For kernel.cu only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/kda_replayssm/step.h"

namespace prelaunch::kda_replayssm {

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

inline std::size_t shared_bytes(const Step& p) {
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

__device__ inline Heads read_heads(const Step& p, std::int64_t row, std::int64_t head) {
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
__device__ inline float sigmoid(float x) { return __fdividef(1, 1 + expf(-x)); }

__device__ inline float decay_of(const Step& p, float x, float rate) {
  if (p.bounded) return p.lower_bound * sigmoid(rate * x);
  return -rate * (x > 20 ? x : log1pf(expf(x)));
}

// Ring entries that are loaded at once.
inline constexpr int kAtOnce = 4;

// W_j k_j of the live entries of one channel; gives the sum of all their decays.
__device__ inline float weigh_ring(const Step& p, const Row& r, const Shared& s,
                                   std::int64_t k_ring, std::int64_t g_ring, int c) {
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
__device__ inline void fill_channels(const Step& p, const Row& r, const Heads& h, const Place& at,
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
__device__ inline void fill_values(const Step& p, const Row& r, const Place& at, const Shared& s) {
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
__device__ inline void fill_ring(const Step& p, const Row& r, const Shared& s) {
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

}  // namespace prelaunch::kda_replayssm
