// __half and __nv_bfloat16 as cuda_fp16.h and cuda_bf16.h have them: storage types with
// conversions. Definition: IEEE 754 binary16 and its bfloat16 relative, rounding to nearest even.
// NaNs as CUDA's own host code has them: a NaN narrows to 0x7fff, a half NaN widens to 0x7fffffff,
// and a bfloat16 widens bit by bit.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include "kernels/emulator/vector_types.h"

namespace prelaunch::emulator {

constexpr float widen_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t exponent = half >> 10 & 0x1fu, mantissa = half & 0x3ffu;
  if (exponent == 0x1f) {
    return std::bit_cast<float>(mantissa != 0 ? 0x7fffffffu : sign | 0x7f800000u);
  }
  if (exponent == 0) {  // subnormal: a multiple of 2^-24, exact in f32
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | (exponent + 127 - 15) << 23 | mantissa << 13);
}

constexpr std::uint16_t narrow_to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // >= 65520
  if (magnitude < 0x38800000u) {
    // Below 2^-14 the result counts in units of 2^-24, which is f32's own unit in [0.5, 1).
    const float rounded = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(rounded) - 0x3f000000u));
  }
  magnitude += 0xfffu + (magnitude >> 13 & 1u);
  return static_cast<std::uint16_t>(sign | (magnitude - 0x38000000u) >> 13);
}

constexpr float widen_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

constexpr std::uint16_t narrow_to_bfloat16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

}  // namespace prelaunch::emulator

struct __half_raw {
  unsigned short x;
};
struct __half {
  PRELAUNCH_CHECKED_COPIES(__half)
  constexpr __half(__half_raw raw) : bits_(raw.x) {}
  template <std::same_as<__half> From>
  constexpr __half(const From& from) : bits_(from.bits_) {}
  template <std::same_as<__half> From>
  constexpr __half& operator=(const From& from) {
    bits_ = from.bits_;
    return *this;
  }
  constexpr operator __half_raw() const { return {bits_}; }

 private:
  unsigned short bits_;
};
using half = __half;
using __half2 = prelaunch::emulator::Vector2<__half, 4>;

constexpr __half __ushort_as_half(unsigned short bits) { return __half_raw{bits}; }
constexpr unsigned short __half_as_ushort(__half value) { return static_cast<__half_raw>(value).x; }
constexpr float __half2float(__half value) {
  return prelaunch::emulator::widen_half(__half_as_ushort(value));
}
constexpr __half __float2half_rn(float value) {
  return __ushort_as_half(prelaunch::emulator::narrow_to_half(value));
}
constexpr __half __float2half(float value) { return __float2half_rn(value); }
constexpr float2 __half22float2(__half2 v) { return {__half2float(v.x), __half2float(v.y)}; }
constexpr __half2 __floats2half2_rn(float x, float y) {
  return {__float2half_rn(x), __float2half_rn(y)};
}
constexpr __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat16 {
  PRELAUNCH_CHECKED_COPIES(__nv_bfloat16)
  constexpr __nv_bfloat16(__nv_bfloat16_raw raw) : bits_(raw.x) {}
  template <std::same_as<__nv_bfloat16> From>
  constexpr __nv_bfloat16(const From& from) : bits_(from.bits_) {}
  template <std::same_as<__nv_bfloat16> From>
  constexpr __nv_bfloat16& operator=(const From& from) {
    bits_ = from.bits_;
    return *this;
  }
  constexpr operator __nv_bfloat16_raw() const { return {bits_}; }

 private:
  unsigned short bits_;
};
using __nv_bfloat162 = prelaunch::emulator::Vector2<__nv_bfloat16, 4>;

constexpr __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return __nv_bfloat16_raw{bits};
}
constexpr unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) {
  return static_cast<__nv_bfloat16_raw>(value).x;
}
constexpr float __bfloat162float(__nv_bfloat16 value) {
  return prelaunch::emulator::widen_bfloat16(__bfloat16_as_ushort(value));
}
constexpr __nv_bfloat16 __float2bfloat16_rn(float value) {
  return __ushort_as_bfloat16(prelaunch::emulator::narrow_to_bfloat16(value));
}
constexpr __nv_bfloat16 __float2bfloat16(float value) { return __float2bfloat16_rn(value); }
constexpr float2 __bfloat1622float2(__nv_bfloat162 v) {
  return {__bfloat162float(v.x), __bfloat162float(v.y)};
}
constexpr __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__float2bfloat16_rn(x), __float2bfloat16_rn(y)};
}
constexpr __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
