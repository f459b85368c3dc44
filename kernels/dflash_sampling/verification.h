// What the two kernels are given, how they read logits, and what a block does together. For
// kernel.cu only.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/common/launch.h"
#include "kernels/common/load_index.h"
#include "kernels/dflash_sampling/dflash_sampling.h"

namespace prelaunch::dflash_sampling {

inline constexpr unsigned kWarp = 32;
inline constexpr unsigned kAllLanes = 0xffffffffu;
inline constexpr unsigned kRowThreads = door::threads(512), kDrawThreads = door::threads(1024);

// What the first kernel tells the second of a row.
enum class Verdict : std::uint32_t {
  kAccepted,
  kRejected,
  kTokenOutOfRange,
  kCoinOutOfRange,
  kBadDistribution,
  kLast,  // there is no draft after it
};
struct Row {
  // Kept mass without the draft after the row, in units of the most probable token's.
  float mass;
  // What mass_of() takes.
  float half_max, scale;
  // Kept are the logits with at least this key.
  std::uint32_t least_key;
  Verdict verdict;
};

// One request's parameters, by its stride in elements.
template <class T>
struct PerRequest {
  const T* data;
  std::int64_t stride;
  __device__ T operator[](std::int64_t b) const { return data[b * stride]; }
};

struct Verification {
  // The chunk's first request, and how many it has.
  std::int64_t first, count;
  std::int64_t n, vocab;
  const void* logits;
  std::int64_t logits_row;
  IndexSource candidates, top_ks;
  std::int64_t candidates_row, candidates_column, coins_row, coins_column, top_ks_stride;
  PerRequest<float> temperatures, top_ps, final_coins;
  const float* coins;
  float threshold_single, threshold_acc;
  Row* rows;  // count * n
  std::int32_t* accept_len;
  std::int64_t* bonus;
  unsigned long long* fault;
};

// How each dtype is read. kDigits: how many leading hexadecimal digits of a key tell its values
// apart; a half has ten bits of mantissa behind an exponent of eight, once it is an f32.
struct Float32 {
  using Bits = std::uint32_t;
  static constexpr int kDigits = 8;
  static __device__ __forceinline__ float widen(Bits bits) { return __uint_as_float(bits); }
};
struct Bfloat16 {
  using Bits = std::uint16_t;
  static constexpr int kDigits = 4;
  static __device__ __forceinline__ float widen(Bits bits) {
    return __uint_as_float(static_cast<std::uint32_t>(bits) << 16);
  }
};
struct Float16 {
  using Bits = std::uint16_t;
  static constexpr int kDigits = 5;
  static __device__ __forceinline__ float widen(Bits bits) {
    return __half2float(__ushort_as_half(bits));
  }
};

inline constexpr float kMinusInfinity = -__builtin_inff();

// kSize consecutive logits as they lie in memory: one 16-byte vector, or one element.
template <class Type, bool kVectors>
struct Unit {
  static constexpr int kSize = kVectors ? static_cast<int>(16 / sizeof(typename Type::Bits)) : 1;
  static constexpr int kWords = kVectors ? 4 : 1;
  std::uint32_t words[kWords];

  // Unit number `unit` of a row that holds all of it.
  __device__ __forceinline__ void load(const typename Type::Bits* row, std::int64_t unit) {
    if constexpr (kVectors) {
      const uint4 raw = __ldg(reinterpret_cast<const uint4*>(row) + unit);
      words[0] = raw.x, words[1] = raw.y, words[2] = raw.z, words[3] = raw.w;
    } else {
      words[0] = __ldg(row + unit);
    }
  }
  // The first `count` elements at `from`; the others are -inf, which has no mass.
  __device__ void load_part(const typename Type::Bits* from, std::int64_t count) {
    constexpr unsigned kBits = 8 * sizeof(typename Type::Bits);
    for (int w = 0; w < kWords; ++w) words[w] = nothing();
    for (int i = 0; i < kSize; ++i) {
      if (i >= count) continue;
      const std::uint32_t bits = __ldg(from + i);
      if constexpr (kBits == 32) {
        words[i] = bits;
      } else {
        const unsigned shift = kBits * static_cast<unsigned>(i % 2);
        words[i / 2] = (words[i / 2] & ~(0xffffu << shift)) | bits << shift;
      }
    }
  }
  __device__ __forceinline__ float operator[](int i) const {
    if constexpr (sizeof(typename Type::Bits) == 4) {
      return Type::widen(words[i]);
    } else {
      const std::uint32_t word = words[i / 2];
      return Type::widen(
          static_cast<typename Type::Bits>(i % 2 == 0 ? word & 0xffffu : word >> 16));
    }
  }

 private:
  // -inf, as often as it fits.
  static __device__ std::uint32_t nothing() {
    if constexpr (std::is_same_v<Type, Float32>) return 0xff800000u;
    return std::is_same_v<Type, Bfloat16> ? 0xff80ff80u : 0xfc00fc00u;
  }
};

// Orders logits as unsigned integers; -0 and 0 are one.
__device__ __forceinline__ std::uint32_t key_of(float logit) {
  const std::uint32_t bits = __float_as_uint(logit + 0.0f);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

// exp((logit - max) / T). Halves are subtracted, because whole ones may be further apart than an
// f32 reaches; `scale` is 2 log2(e) / T. Below 2^-126 there is no mass.
__device__ __forceinline__ float mass_of(float logit, float half_max, float scale) {
  const float exponent = __fmaf_rn(logit, 0.5f, -half_max) * scale;
  return exponent >= -126.0f ? exp2f(exponent) : 0.0f;
}
// Rounded once: its error is every mass's, times their distance. One step of Newton's doubles the
// digits of an f32's reciprocal; a division would be a call.
__device__ __forceinline__ float scale_of(float temperature) {
  const auto t = static_cast<double>(temperature);
  const auto reciprocal = static_cast<double>(__frcp_rn(temperature));
  return static_cast<float>(2.8853900817779268 * (reciprocal * (2.0 - t * reciprocal)));
}

// False for a NaN.
__device__ __forceinline__ bool is_coin(float coin) { return coin >= 0.0f && coin < 1.0f; }

template <unsigned kThreads, class T>
struct Gathered {
  T of_warp[kThreads / kWarp];
};

// `join` of all threads' values, on all threads, in an order of its own. To be called by all.
template <unsigned kThreads, class T, class Join>
__device__ __forceinline__ T join_block(T value, Join join) {
  for (int step = kWarp / 2; step > 0; step /= 2) {
    value = join(value, __shfl_xor_sync(kAllLanes, value, step));
  }
  auto& gathered = shared<Gathered<kThreads, T>>();
  __syncthreads();  // what was gathered before has been read
  if (threadIdx.x % kWarp == 0) gathered.of_warp[threadIdx.x / kWarp] = value;
  __syncthreads();
  value = gathered.of_warp[0];
  for (unsigned w = 1; w < kThreads / kWarp; ++w) value = join(value, gathered.of_warp[w]);
  return value;
}
struct Add {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Max {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};

}  // namespace prelaunch::dflash_sampling
