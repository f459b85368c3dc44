// The conversions of half.h: every 16-bit value, and f32 against the compiler's own _Float16.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/emulator/cuda.h"
#include "kernels/emulator/order.h"

namespace prelaunch::emulator {
namespace {

bool is_nan_half(unsigned bits) { return (bits & 0x7fffu) > 0x7c00u; }
bool is_nan_bfloat16(unsigned bits) { return (bits & 0x7fffu) > 0x7f80u; }

TEST(Half, EveryValueWidensExactlyAndComesBack) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const __half value = __ushort_as_half(static_cast<unsigned short>(bits));
    const float wide = __half2float(value);
    if (is_nan_half(bits)) {
      ASSERT_EQ(__float_as_uint(wide), 0x7fffffffu);
      ASSERT_EQ(__half_as_ushort(__float2half(wide)), 0x7fffu);
      continue;
    }
    const auto native =
        static_cast<float>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits)));
    ASSERT_EQ(__float_as_uint(wide), __float_as_uint(native)) << bits;
    ASSERT_EQ(__half_as_ushort(__float2half(wide)), bits);
  }
}

void expect_native_half(std::uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  if (std::isnan(value)) {
    ASSERT_EQ(__half_as_ushort(__float2half(value)), 0x7fffu);
  } else {
    const auto native = std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
    ASSERT_EQ(__half_as_ushort(__float2half(value)), native) << value;
  }
}

TEST(Half, NarrowingRoundsAsTheCompilerDoes) {
  for (std::uint64_t i = 0; i < 2'000'000; ++i) {
    expect_native_half(static_cast<std::uint32_t>(mix(i)));
    // The same bits with an exponent near half's range.
    const auto bits = static_cast<std::uint32_t>(mix(~i));
    expect_native_half((bits & 0x807fffffu) | (100u + bits % 48u) << 23);
  }
}

// Every boundary between two neighbours: the tie and what lies next to it on both sides.
TEST(Half, TiesGoToEven) {
  for (std::uint16_t bits = 0; bits < 0x7c00; ++bits) {
    const double low = widen_half(bits);
    const double high = bits == 0x7bff ? 65536.0 : widen_half(static_cast<std::uint16_t>(bits + 1));
    const auto tie = static_cast<float>((low + high) / 2);
    const float infinity = std::numeric_limits<float>::infinity();
    ASSERT_EQ(narrow_to_half(tie), bits + bits % 2);
    ASSERT_EQ(narrow_to_half(-tie), (bits + bits % 2) | 0x8000);
    ASSERT_EQ(narrow_to_half(std::nextafter(tie, -infinity)), bits);
    ASSERT_EQ(narrow_to_half(std::nextafter(tie, infinity)), bits + 1);
  }
}

TEST(Bfloat16, EveryValueComesBack) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float wide = __bfloat162float(__ushort_as_bfloat16(static_cast<unsigned short>(bits)));
    ASSERT_EQ(__float_as_uint(wide), bits << 16);
    const unsigned back = __bfloat16_as_ushort(__float2bfloat16(wide));
    ASSERT_EQ(back, is_nan_bfloat16(bits) ? 0x7fffu : bits);
  }
}

TEST(Bfloat16, TiesGoToEven) {
  for (std::uint32_t bits = 0; bits < 0x7f80; ++bits) {
    const std::uint32_t tie = bits << 16 | 0x8000u;
    for (const std::uint32_t sign : {0u, 0x8000u}) {
      const auto narrowed = [&](std::uint32_t wide) {
        return narrow_to_bfloat16(std::bit_cast<float>(sign << 16 | wide));
      };
      ASSERT_EQ(narrowed(tie), sign | (bits + bits % 2));
      ASSERT_EQ(narrowed(tie - 1), sign | bits);
      ASSERT_EQ(narrowed(tie + 1), sign | (bits + 1));
    }
  }
}

TEST(Intrinsics, CountBits) {
  EXPECT_EQ(__popc(0xf0u), 4);
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__umulhi(0xffffffffu, 0xffffffffu), 0xfffffffeu);
  EXPECT_EQ(__umul64hi(~0ull, ~0ull), ~0ull - 1);
}

TEST(Intrinsics, AtomicsReturnWhatWasThere) {
  int word = std::numeric_limits<int>::max();
  EXPECT_EQ(atomicAdd(&word, 1), std::numeric_limits<int>::max());
  EXPECT_EQ(word, std::numeric_limits<int>::min());
  EXPECT_EQ(atomicExch(&word, 7), std::numeric_limits<int>::min());
  EXPECT_EQ(atomicCAS(&word, 8, 9), 7);
  EXPECT_EQ(atomicCAS(&word, 7, 9), 7);
  EXPECT_EQ(atomicMax(&word, 3), 9);
  EXPECT_EQ(atomicMin(&word, 3), 9);
  EXPECT_EQ(atomicOr(&word, 4), 3);
  EXPECT_EQ(atomicAnd(&word, 6), 7);
  EXPECT_EQ(word, 6);
}

}  // namespace
}  // namespace prelaunch::emulator
