#include "kernels/common/host_tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/common/half_bits.h"

namespace prelaunch {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double through(Dtype dtype, double number) {
  std::array<std::byte, 8> memory{};
  store(memory.data(), dtype, number);
  return load(memory.data(), dtype);
}

TEST(HostTensor, NumbersThatADtypeHoldsAreKept) {
  for (const Dtype dtype : {kFloat16, kBfloat16, kFloat32, kFloat64}) {
    for (const double number : {0.0, 1.0, -2.5, 0.0078125, kInfinity, -kInfinity}) {
      EXPECT_EQ(through(dtype, number), number) << to_string(dtype);
    }
    EXPECT_TRUE(std::isnan(through(dtype, std::nan("")))) << to_string(dtype);
  }
  for (const Dtype dtype : {kInt32, kInt64}) {
    for (const double number : {0.0, -1.0, 2147483647.0}) {
      EXPECT_EQ(through(dtype, number), number);
    }
  }
  EXPECT_EQ(through({DtypeCode::kComplex, 64, 1}, 3.0), 0.0);
}

// 1 + 2^-11 + 2^-40 lies above the middle between two f16, but is the middle when rounded to f32.
TEST(HostTensor, NarrowFloatsAreRoundedOnce) {
  EXPECT_EQ(through(kFloat16, 1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);
  EXPECT_EQ(through(kFloat16, 1 + 0x1p-11 - 0x1p-40), 1.0);
  EXPECT_EQ(through(kFloat16, 1 + 0x1p-11), 1.0) << "a tie goes to even";
  EXPECT_EQ(through(kBfloat16, -(1 + 0x1p-8 + 0x1p-40)), -(1 + 0x1p-7));
  EXPECT_EQ(through(kBfloat16, -(1 + 0x1p-8 - 0x1p-40)), -1.0);
  EXPECT_EQ(through(kFloat16, 1e300), kInfinity);
}

TEST(HostTensor, IntegersAreHeldToTheirRange) {
  EXPECT_EQ(through(kInt32, 1e30), 2147483647.0);
  EXPECT_EQ(through(kInt32, -1e30), -2147483648.0);
  EXPECT_EQ(through(kUInt8, -3), 0.0);
  EXPECT_EQ(through(kUInt8, 300), 255.0);
  EXPECT_EQ(through(kInt32, 2.9), 2.0);
  EXPECT_EQ(through(kInt32, std::nan("")), 0.0);
  std::array<std::byte, 8> memory{};
  store(memory.data(), kInt64, kInfinity);
  EXPECT_EQ(load_integer(memory.data(), kInt64), std::numeric_limits<std::int64_t>::max());
  store(memory.data(), kInt64, -kInfinity);
  EXPECT_EQ(load_integer(memory.data(), kInt64), std::numeric_limits<std::int64_t>::min());
}

TEST(HostTensor, ElementsAreCountedInRowMajorOrder) {
  std::array<std::int32_t, 64> memory{};
  const std::int64_t shape[] = {2, 3, 4}, strides[] = {32, 4, 1};
  TensorView::Descriptor descriptor;
  descriptor.data = reinterpret_cast<std::uintptr_t>(memory.data());
  descriptor.dtype = kInt32;
  descriptor.rank = 3;
  descriptor.shape = shape;
  descriptor.strides = strides;
  const TensorView view = TensorView::from(descriptor, {1});
  std::int64_t flat = 0;
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      for (std::int64_t k = 0; k < 4; ++k, ++flat) {
        EXPECT_EQ(nth_element(view, flat), element(view, {i, j, k}));
      }
    }
  }
  store(element(view, {1, 2, 3}), kInt32, -7);
  EXPECT_EQ(memory[32 + 2 * 4 + 3], -7);
  EXPECT_EQ(integer(view, {1, 2, 3}), -7);
  EXPECT_EQ(value(view, {1, 2, 3}), -7.0);
}

}  // namespace
}  // namespace prelaunch
