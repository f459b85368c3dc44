// Views for the unit tests of this folder: numbers only, no memory behind them.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "kernels/common/tensor_view.h"

namespace prelaunch::testing {

inline constexpr DeviceCount kDevices{.cuda = 2};
inline constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
using Dims = std::initializer_list<std::int64_t>;
using Descriptor = TensorView::Descriptor;

// What a test leaves unsaid: aligned for every dtype, far from either end of the address space.
inline constexpr Descriptor kGood{.data = 4096, .device = cuda(0), .dtype = kFloat32};

// Null strides.
constexpr TensorView look(Dims shape, Descriptor from = kGood) {
  from.rank = static_cast<std::int32_t>(shape.size());
  from.shape = shape.begin();
  return TensorView::from(from, kDevices);
}

constexpr TensorView look(Dims shape, Dims strides, Descriptor from = kGood) {
  from.strides = strides.begin();
  return look(shape, from);
}

// A view at an address.
constexpr TensorView at(std::uintptr_t address, Dtype dtype, Dims shape, Dims strides) {
  return look(shape, strides, {.data = address, .device = cuda(0), .dtype = dtype});
}

// Two views, and one on its own, for which the overlap search gives up.
constexpr TensorView hard_a() {
  return at(1 << 20, kUInt8, {5, 5, 5, 5, 5, 5, 5, 5},
            {1000000007, 1000000411, 1000001329, 1000002043, 1000004119, 1000008233, 1000016483,
             1000032901});
}
constexpr TensorView hard_b() {
  return at((1 << 20) + 17, kUInt8, {5, 5, 5, 5, 5, 5, 5, 5},
            {1000065539, 1000131101, 1000262153, 1000524313, 1001048591, 1002097157, 1004194319,
             1008388627});
}
constexpr TensorView hard_alone() {
  return at(1 << 20, kUInt8, {31, 31, 31, 31, 31, 31, 31, 31},
            {100000000000007, 100000000041101, 100000000132901, 100000000204303, 100000000411907,
             100000000823301, 100000001648303, 100000003290107});
}

}  // namespace prelaunch::testing
