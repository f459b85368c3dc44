// The vocabulary of rules.
#include "kernels/common/predicates.h"

#include <gtest/gtest.h>

#include "kernels/common/test_views.h"

namespace prelaunch::testing {
namespace {

TEST(Predicates, ShapesAreTheSameWhenRankAndEveryDimensionAre) {
  static_assert(same_shape(look({2, 3}), look({2, 3}, {9, 2})));
  static_assert(!same_shape(look({2, 3}), look({3, 2})));
  static_assert(!same_shape(look({}), look({0})));
  static_assert(!same_shape(look({2}), look({2, 0})));
  static_assert(same_shape(look({}), look({})));
}

TEST(Predicates, AShapeIsComparedDimensionByDimension) {
  static_assert(has_shape(look({2, 3}), {2, 3}));
  static_assert(has_shape(look({}), {}));
  static_assert(!has_shape(look({2, 3}), {2}));
  static_assert(!has_shape(look({2, 3}), {2, 4}));
  static_assert(!has_shape(look({2}), {2, 0}));
}

TEST(Predicates, PropertiesAreThoseOfTheView) {
  static_assert(on_cuda(look({2})));
  static_assert(!on_cuda(look({2}, {.data = 64, .device = kCpuDevice, .dtype = kInt32})));
  static_assert(contiguous(look({2, 2})) && !contiguous(look({2, 2}, {3, 1})));
  static_assert(inner_contiguous(look({2, 2}, {3, 1})) && !inner_contiguous(look({2, 2}, {4, 2})));
}

TEST(Predicates, DeviceAndDtypeMustBothBeTheSame) {
  constexpr auto on = [](Device device, Dtype dtype) {
    return look({2}, {.data = 64, .device = device, .dtype = dtype});
  };
  static_assert(same_device_dtype(on(cuda(0), kInt32), on(cuda(0), kInt32)));
  static_assert(!same_device_dtype(on(cuda(0), kInt32), on(cuda(1), kInt32)));
  static_assert(!same_device_dtype(on(cuda(0), kInt32), on(cuda(0), kFloat32)));
  static_assert(!same_device_dtype(on(cuda(0), kInt32), on(kCpuDevice, kInt32)));
}

TEST(Predicates, AProductIsComparedWithoutComputingIt) {
  static_assert(is_product(6, 2, 3) && is_product(0, 2, 0) && is_product(kMaxInt64, 1, kMaxInt64));
  static_assert(!is_product(7, 2, 3) && !is_product(6, 3, 3) && !is_product(6, 4, 1));
  static_assert(!is_product(0, std::int64_t{1} << 62, 4), "the product is 2^64, not 0");
  static_assert(!is_product(0, 2, std::int64_t{1} << 62));
  static_assert(!is_product(-2, kMaxInt64, 2));
}

TEST(Predicates, AFactorThatIsNotPositiveHasNoProduct) {
  static_assert(!is_product(6, 0, 3) && !is_product(6, -2, -3));
  static_assert(!is_product(kMinInt64, -1, kMinInt64));
}

TEST(Predicates, ATensorFitsWhenItsBytesDo) {
  constexpr std::int64_t k2to60 = std::int64_t{1} << 60;
  static_assert(tensor_fits(4, {k2to60, 1}) && !tensor_fits(4, {k2to60, 2}));
  static_assert(tensor_fits(1, {kMaxInt64}) && !tensor_fits(2, {kMaxInt64}));
  static_assert(!tensor_fits(1, {0, std::int64_t{1} << 62, 4}), "a dim of 0 counts as 1");
  static_assert(!tensor_fits(1, {std::int64_t{1} << 62, 4, 0}));
  static_assert(!tensor_fits(1, {std::int64_t{1} << 32, std::int64_t{1} << 32, 2}));
  static_assert(tensor_fits(16, {0, 0}));
}

TEST(Predicates, DisjointMeansDecidedlyDisjoint) {
  const TensorView a = at(4096, kFloat32, {4}, {2});
  EXPECT_TRUE(disjoint(a, at(4100, kFloat32, {4}, {2})));
  EXPECT_FALSE(disjoint(a, at(4096, kFloat32, {4}, {2})));
  EXPECT_TRUE(disjoint(a, TensorView{}));
  EXPECT_FALSE(disjoint(hard_a(), hard_b()));
}

TEST(Predicates, TheFirstOffenderIsTheOneToBlame) {
  const TensorView good = look({2}), bad = look({2}, {3}), worse = look({2}, {4});
  EXPECT_EQ(first_not(contiguous, good, good), nullptr);
  EXPECT_EQ(first_not(contiguous, good, bad, worse), &bad);
  EXPECT_EQ(first_not(contiguous, worse, good, bad), &worse);
  EXPECT_EQ(first_not(contiguous, good, good, bad), &bad);
}

}  // namespace
}  // namespace prelaunch::testing
