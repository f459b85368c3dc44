// Division by a number that a whole launch shares: what index arithmetic of a memory-bound kernel
// spends its instructions on. 32-bit divisors multiply; 64-bit ones divide, for the rare huge call.
#pragma once

#include <cstdint>

#include "kernels/common/launch.h"

namespace prelaunch {

template <class Index>
struct Divisor;

// Granlund and Montgomery, "Division by Invariant Integers using Multiplication" (PLDI 1994), for
// dividends below 2^31.
template <>
struct Divisor<std::uint32_t> {
  std::uint32_t value, multiplier, shift;

  // 1 <= divisor < 2^31.
  explicit Divisor(std::int64_t divisor) : value(static_cast<std::uint32_t>(divisor)) {
    for (shift = 0; (std::uint64_t{1} << shift) < value;) ++shift;
    const std::uint64_t excess = (std::uint64_t{1} << shift) - value;
    multiplier = static_cast<std::uint32_t>((excess << 32) / value + 1);
  }
  // Returns dividend / value and leaves the remainder.
  __device__ std::uint32_t split(std::uint32_t& dividend) const {
    const std::uint32_t quotient = (__umulhi(multiplier, dividend) + dividend) >> shift;
    dividend -= quotient * value;
    return quotient;
  }
};

template <>
struct Divisor<std::uint64_t> {
  std::uint64_t value;

  explicit Divisor(std::int64_t divisor) : value(static_cast<std::uint64_t>(divisor)) {}
  __device__ std::uint64_t split(std::uint64_t& dividend) const {
    const std::uint64_t quotient = dividend / value;
    dividend -= quotient * value;
    return quotient;
  }
};

// Launches of at most this many units index with 32 bits. Small when emulated, so that both kinds
// run.
inline constexpr std::int64_t kMaxIndex32 =
#if defined(PRELAUNCH_EMULATED)
    std::int64_t{1} << 9;
#else
    (std::int64_t{1} << 31) - 1;
#endif

}  // namespace prelaunch
