// What a view says about its layout, and what a flawed one still shows.
#include <gtest/gtest.h>

#include "kernels/common/tensor_view.h"
#include "kernels/common/test_views.h"

namespace prelaunch::testing {
namespace {

TEST(TensorViewLayout, NullStridesStandForCompactRowMajorOnes) {
  constexpr TensorView view = look({2, 3, 4});
  static_assert(view.strides == std::array<std::int64_t, kMaxRank>{12, 4, 1});
  static_assert(view.elements == 24 && view.extent == 96);
  static_assert(view.contiguous && view.inner_contiguous);
  static_assert(look({2, 0, 4}).strides == std::array<std::int64_t, kMaxRank>{4, 4, 1});
}

TEST(TensorViewLayout, AScalarIsOneContiguousElement) {
  constexpr TensorView view = look({});
  static_assert(view.flaw == Flaw::kNone && view.elements == 1 && view.extent == 4);
  static_assert(view.contiguous && view.inner_contiguous);
}

TEST(TensorViewLayout, ContiguityIgnoresStridesOfDimensionsOfSizeOne) {
  static_assert(look({1, 3, 1, 4, 1}, {kMaxInt64, 4, -7, 1, kMinInt64}).contiguous);
  static_assert(look({3, 1}, {1, 99}).contiguous && look({3, 1}, {1, 99}).inner_contiguous);
  static_assert(!look({3, 1}, {2, 99}).contiguous && look({3, 1}, {2, 99}).inner_contiguous);
  static_assert(look({1}, {0}).extent == 4);
}

TEST(TensorViewLayout, AViewWithoutElementsIsContiguousWhateverItsStrides) {
  static_assert(look({0, 3}, {5, 7}).contiguous && look({0, 3}, {5, 7}).inner_contiguous);
  static_assert(look({3, 0, 3}, {0, -9, kMaxInt64}).contiguous);
  static_assert(look({3, 0, 3}, {0, -9, kMaxInt64}).inner_contiguous);
  static_assert(look({3, 0}, {5, 7}).elements == 0 && look({3, 0}, {5, 7}).extent == 0);
}

TEST(TensorViewLayout, OtherStridesAreNotContiguous) {
  static_assert(!look({2, 3}, {4, 1}).contiguous && look({2, 3}, {4, 1}).inner_contiguous);
  static_assert(!look({2, 3}, {1, 2}).contiguous && !look({2, 3}, {1, 2}).inner_contiguous);
  static_assert(!look({2}, {0}).contiguous && !look({2}, {0}).inner_contiguous);
}

TEST(TensorViewLayout, TheExtentEndsOnePastTheLastElement) {
  static_assert(look({2, 3}, {10, 2}).extent == 15 * 4);
  static_assert(look({2, 3}, {0, 0}).extent == 4);
  EXPECT_EQ(at(4096, kBfloat16, {2, 3}, {10, 2}).end(), 4096u + 30);
}

TEST(TensorViewLayout, EntriesPastTheRankAreZero) {
  constexpr TensorView view = look({7, 8}, {8, 1});
  static_assert(view.shape == std::array<std::int64_t, kMaxRank>{7, 8});
  static_assert(view.strides == std::array<std::int64_t, kMaxRank>{8, 1});
}

// A message prints what was given, whatever is wrong with it.
TEST(TensorViewLayout, AFlawedViewShowsTheWholeShapeAndStrides) {
  constexpr std::array<std::int64_t, kMaxRank> shape{-1, 5, -3}, strides{-2, 4, -6};
  static_assert(look({-1, 5, -3}, {-2, 4, -6}).shape == shape);
  static_assert(look({-1, 5, -3}, {-2, 4, -6}).strides == strides);
  Descriptor half = kGood;
  half.dtype.bits = 4;
  EXPECT_EQ(look({-1, 5, -3}, {-2, 4, -6}, half).shape, shape);
  EXPECT_EQ(look({-1, 5, -3}, {-2, 4, -6}, half).strides, strides);
}

TEST(TensorViewLayout, ACompactStrideThatDoesNotFitShowsAsTheLargest) {
  constexpr std::int64_t big = std::int64_t{1} << 62;
  constexpr TensorView view = look({2, big, 2});
  static_assert(view.flaw == Flaw::kSize);
  static_assert(view.strides == std::array<std::int64_t, kMaxRank>{kMaxInt64, 2, 1});
}

TEST(TensorViewLayout, TheOffsetIsPartOfTheAddress) {
  static_assert(
      look({2}, {.data = 4096, .byte_offset = 8, .device = cuda(0), .dtype = kInt32}).address ==
      4104);
}

}  // namespace
}  // namespace prelaunch::testing
