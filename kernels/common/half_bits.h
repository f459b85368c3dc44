// f16 and bf16 as bits, and f32: the conversions of cuda_fp16.h and cuda_bf16.h, for the host.
// Definition: IEEE 754 binary16 and its bfloat16 relative, rounding to nearest even. NaNs as CUDA's
// own host code has them: a NaN narrows to 0x7fff, a half NaN widens to 0x7fffffff, and a bfloat16
// widens bit by bit.
#pragma once

#include <bit>
#include <cstdint>

namespace prelaunch {

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

}  // namespace prelaunch
