// __half and __nv_bfloat16 as cuda_fp16.h and cuda_bf16.h have them: storage types with
// conversions.
#pragma once

#include <concepts>
#include <cstdint>

#include "kernels/common/half_bits.h"
#include "kernels/emulator/vector_types.h"

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
  return prelaunch::widen_half(__half_as_ushort(value));
}
constexpr __half __float2half_rn(float value) {
  return __ushort_as_half(prelaunch::narrow_to_half(value));
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
  return prelaunch::widen_bfloat16(__bfloat16_as_ushort(value));
}
constexpr __nv_bfloat16 __float2bfloat16_rn(float value) {
  return __ushort_as_bfloat16(prelaunch::narrow_to_bfloat16(value));
}
constexpr __nv_bfloat16 __float2bfloat16(float value) { return __float2bfloat16_rn(value); }
constexpr float2 __bfloat1622float2(__nv_bfloat162 v) {
  return {__bfloat162float(v.x), __bfloat162float(v.y)};
}
constexpr __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__float2bfloat16_rn(x), __float2bfloat16_rn(y)};
}
constexpr __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
