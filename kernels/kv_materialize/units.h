// f32, f16 and bf16 elements in units of 16 to 2 bytes: what one load or store moves. For kernel.cu
// only.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/common/launch.h"

namespace prelaunch::kv_materialize {

// --- formats: elements in 32-bit words -----------------------------------------------------------

struct Float32 {
  using Element = std::uint32_t;
  static constexpr unsigned kPerWord = 1;
  __device__ static void widen(std::uint32_t word, float* to) { to[0] = __uint_as_float(word); }
  __device__ static std::uint32_t narrow(const float* from) { return __float_as_uint(from[0]); }
};

struct Bfloat16 {
  using Element = std::uint16_t;
  static constexpr unsigned kPerWord = 2;
  __device__ static void widen(std::uint32_t word, float* to) {
    to[0] = __uint_as_float(word << 16);
    to[1] = __uint_as_float(word & 0xffff0000u);
  }
  __device__ static std::uint32_t narrow(const float* from) {
    const __nv_bfloat162 both = __floats2bfloat162_rn(from[0], from[1]);
    return __bfloat16_as_ushort(both.x) | static_cast<std::uint32_t>(__bfloat16_as_ushort(both.y))
                                              << 16;
  }
};

struct Float16 {
  using Element = std::uint16_t;
  static constexpr unsigned kPerWord = 2;
  __device__ static void widen(std::uint32_t word, float* to) {
    to[0] = __half2float(__ushort_as_half(static_cast<unsigned short>(word & 0xffffu)));
    to[1] = __half2float(__ushort_as_half(static_cast<unsigned short>(word >> 16)));
  }
  __device__ static std::uint32_t narrow(const float* from) {
    const __half2 both = __floats2half2_rn(from[0], from[1]);
    return __half_as_ushort(both.x) | static_cast<std::uint32_t>(__half_as_ushort(both.y)) << 16;
  }
};

// --- units: what one load or store moves ---------------------------------------------------------

template <unsigned kBytes>
using UnitOf = std::conditional_t<
    kBytes == 16, uint4,
    std::conditional_t<kBytes == 8, uint2,
                       std::conditional_t<kBytes == 4, std::uint32_t, std::uint16_t>>>;

__device__ __forceinline__ uint4 no_bits(uint4) { return make_uint4(0, 0, 0, 0); }
__device__ __forceinline__ std::uint32_t no_bits(std::uint32_t) { return 0; }
__device__ __forceinline__ std::uint16_t no_bits(std::uint16_t) { return 0; }

template <class Format>
__device__ __forceinline__ void widen(const uint4& unit, float* to) {
  Format::widen(unit.x, to);
  Format::widen(unit.y, to + Format::kPerWord);
  Format::widen(unit.z, to + 2 * Format::kPerWord);
  Format::widen(unit.w, to + 3 * Format::kPerWord);
}
template <class Format>
__device__ __forceinline__ void widen(const uint2& unit, float* to) {
  Format::widen(unit.x, to);
  Format::widen(unit.y, to + Format::kPerWord);
}
template <class Format>
__device__ __forceinline__ void widen(std::uint32_t unit, float* to) {
  Format::widen(unit, to);
}
template <class Format>
__device__ __forceinline__ void widen(std::uint16_t unit, float* to) {
  float both[2];
  Format::widen(unit, both);
  to[0] = both[0];
}

template <class Format>
__device__ __forceinline__ void narrow(const float* from, uint4& unit) {
  unit = make_uint4(Format::narrow(from), Format::narrow(from + Format::kPerWord),
                    Format::narrow(from + 2 * Format::kPerWord),
                    Format::narrow(from + 3 * Format::kPerWord));
}
template <class Format>
__device__ __forceinline__ void narrow(const float* from, std::uint32_t& unit) {
  unit = Format::narrow(from);
}
template <class Format>
__device__ __forceinline__ void narrow(const float* from, std::uint16_t& unit) {
  const float both[2] = {from[0], 0};
  unit = static_cast<std::uint16_t>(Format::narrow(both) & 0xffffu);
}

// Rows of f32 or of kv's format, whichever the caller has. One branch, the same for all threads.
struct Reals {
  const void* data;
  std::int64_t row;
  bool is_float32;

  template <class Format, unsigned kWidth>
  __device__ __forceinline__ void load(std::int64_t r, unsigned column, float (&to)[kWidth]) const {
    if (is_float32) {
      load_as<Float32>(r * row + column, to);
    } else {
      load_as<Format>(r * row + column, to);
    }
  }

  // kWidth elements at a multiple of kWidth, in units of up to 16 bytes.
  template <class Format, unsigned kWidth>
  __device__ __forceinline__ void load_as(std::int64_t element, float (&to)[kWidth]) const {
    using Element = typename Format::Element;
    constexpr unsigned kBytes = kWidth * sizeof(Element);
    using Unit = UnitOf<(kBytes < 16 ? kBytes : 16)>;
    constexpr unsigned kStep = sizeof(Unit) / sizeof(Element);
    const Element* from = static_cast<const Element*>(data) + element;
#pragma unroll
    for (unsigned i = 0; i < kWidth; i += kStep) {
      widen<Format>(__ldg(reinterpret_cast<const Unit*>(from + i)), to + i);
    }
  }
};

}  // namespace prelaunch::kv_materialize
