// The rows of the state: both products with each, and its flush. For kernel.cu only.
#pragma once

#include <cstdint>

#include "kernels/kda_replayssm/channels.h"

namespace prelaunch::kda_replayssm {

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

// Blocks of a multiprocessor: as many as need no register to be spilled.
template <int kVector>
inline constexpr int kBlocks = kVector == 4   ? 8
                               : kVector == 8 ? 7
                                              : 6;

// Rows of the state that the same lanes work on together: as many loads are under way at once.
inline constexpr int kRows = 2;

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
__device__ inline void sum_over(int lanes, PerRow& of) {
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

}  // namespace prelaunch::kda_replayssm
