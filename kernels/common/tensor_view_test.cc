// Each well-formed rule at its limits, their order, and what a flawless view says.
#include "kernels/common/tensor_view.h"

#include <gtest/gtest.h>

#include <limits>

#include "kernels/common/test_views.h"

namespace prelaunch::testing {
namespace {

constexpr std::int64_t k2to61 = std::int64_t{1} << 61;
constexpr std::int64_t k2to62 = std::int64_t{1} << 62;
constexpr std::int64_t kDims[9] = {2, 2, 2, 2, 2, 2, 2, 2, 2};

constexpr Flaw flaw_of_rank(std::int32_t rank, const std::int64_t* shape) {
  Descriptor from = kGood;
  from.rank = rank;
  from.shape = shape;
  return TensorView::from(from, kDevices).flaw;
}

constexpr Flaw flaw_of_dtype(int bits, int lanes) {
  Descriptor from = kGood;
  from.dtype = {DtypeCode::kFloat, static_cast<std::uint8_t>(bits),
                static_cast<std::uint16_t>(lanes)};
  return look({2, 3}, from).flaw;
}

constexpr Flaw flaw_of_device(DeviceType type, std::int32_t index) {
  Descriptor from = kGood;
  from.device = {type, index};
  return look({2, 3}, from).flaw;
}

constexpr Flaw flaw_at(std::uintptr_t data, std::uint64_t offset, Dims shape,
                       Dtype dtype = kFloat32) {
  return look(shape, {.data = data, .byte_offset = offset, .device = cuda(0), .dtype = dtype}).flaw;
}

TEST(TensorView, ANullDescriptorIsAnAbsentArgumentWithoutAFlaw) {
  const TensorView view = TensorView::from(static_cast<const DLTensor*>(nullptr), kDevices);
  EXPECT_FALSE(view.given);
  EXPECT_EQ(view.flaw, Flaw::kNone);
  EXPECT_EQ(view.elements, 0);
}

TEST(TensorView, ANullShapeIsPresentOnlyAtRankZero) {
  static_assert(flaw_of_rank(0, nullptr) == Flaw::kNone);
  static_assert(flaw_of_rank(1, nullptr) == Flaw::kPresent);
  static_assert(flaw_of_rank(2, nullptr) == Flaw::kPresent);
  static_assert(flaw_of_rank(std::numeric_limits<std::int32_t>::max(), nullptr) == Flaw::kPresent);
  static_assert(flaw_of_rank(-1, nullptr) == Flaw::kRank);
}

TEST(TensorView, RanksOf0To8AreAccepted) {
  static_assert(flaw_of_rank(-1, kDims) == Flaw::kRank);
  static_assert(flaw_of_rank(0, kDims) == Flaw::kNone);
  static_assert(flaw_of_rank(8, kDims) == Flaw::kNone);
  static_assert(flaw_of_rank(9, kDims) == Flaw::kRank);
}

TEST(TensorView, WidthsOfWholePowersOfTwoBytesInOneLaneAreAccepted) {
  for (int bits = 0; bits < 256; ++bits) {
    const bool accepted = bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128;
    EXPECT_EQ(flaw_of_dtype(bits, 1), accepted ? Flaw::kNone : Flaw::kDtypeWidth) << bits;
  }
  static_assert(flaw_of_dtype(0, 1) == Flaw::kDtypeWidth);
  static_assert(flaw_of_dtype(4, 1) == Flaw::kDtypeWidth);
  static_assert(flaw_of_dtype(32, 0) == Flaw::kDtypeWidth);
  static_assert(flaw_of_dtype(32, 2) == Flaw::kDtypeWidth);
  static_assert(flaw_of_dtype(32, 65535) == Flaw::kDtypeWidth);
}

TEST(TensorView, ADimensionIsNeverNegative) {
  static_assert(look({0}).flaw == Flaw::kNone);
  static_assert(look({-1}).flaw == Flaw::kShape);
  static_assert(look({3, -1, 2}).flaw == Flaw::kShape);
  static_assert(look({0, kMinInt64}).flaw == Flaw::kShape);
}

TEST(TensorView, AStrideIsNegativeOnlyWhereItsDimensionIsAtMostOne) {
  static_assert(look({1}, {-1}).flaw == Flaw::kNone);
  static_assert(look({0}, {-1}).flaw == Flaw::kNone);
  static_assert(look({2}, {-1}).flaw == Flaw::kStrides);
  static_assert(look({2}, {0}).flaw == Flaw::kNone);
  static_assert(look({1, 2}, {kMinInt64, 1}).flaw == Flaw::kNone);
  static_assert(look({2, 0}, {-1, 1}).flaw == Flaw::kStrides);
}

TEST(TensorView, TheElementsTimesTheirSizeFitInt64) {
  static_assert(look({k2to61 - 1}).flaw == Flaw::kNone);
  static_assert(look({k2to61}).flaw == Flaw::kSize);
  static_assert(look({k2to62, 2}, {0, 0}).flaw == Flaw::kSize);  // elements
  static_assert(look({k2to61}, {0}).flaw == Flaw::kSize);        // bytes
  static_assert(look({k2to61 - 1}, {0}).flaw == Flaw::kNone);
  static_assert(look({0, 4, k2to62}).flaw == Flaw::kSize);  // a dim of 0 counts as 1
  static_assert(look({0, 4, k2to62}, {0, 0, 0}).flaw == Flaw::kSize);
  static_assert(look({k2to62, 4, 0}).flaw == Flaw::kSize);
}

TEST(TensorView, ACompactStrideThatDoesNotFitIsASizeAndNotANegativeStride) {
  static_assert(look({2, k2to62, 2}).flaw == Flaw::kSize);
  static_assert(look({5, 3, k2to62}).flaw == Flaw::kSize);
  static_assert(look({0, 2, k2to62, 2}).flaw == Flaw::kSize);
}

TEST(TensorView, TheByteOnePastTheLastElementFitsInt64) {
  static_assert(look({2}, {k2to61 - 2}).flaw == Flaw::kNone);  // (2^61 - 1) * 4 bytes
  static_assert(look({2}, {k2to61 - 1}).flaw == Flaw::kSize);  // 2^63 bytes
  static_assert(look({2}, {kMaxInt64}).flaw == Flaw::kSize);   // the last element, plus one
  static_assert(look({3}, {k2to62}).flaw == Flaw::kSize);      // 2 * stride
  static_assert(look({2, 2}, {k2to62, k2to62}).flaw == Flaw::kSize);
  static_assert(look({1, 1}, {kMaxInt64, kMaxInt64}).flaw == Flaw::kNone);
}

TEST(TensorView, AViewWithoutElementsHasNoLastOneToReach) {
  static_assert(look({0, 3}, {kMaxInt64, kMaxInt64}).flaw == Flaw::kNone);
  static_assert(look({3, 0}, {kMaxInt64, kMaxInt64}).flaw == Flaw::kNone);
  static_assert(look({3, 0}, {kMaxInt64, kMaxInt64}).extent == 0);
}

TEST(TensorView, TheEndAddressDoesNotWrap) {
  constexpr std::uintptr_t top = std::numeric_limits<std::uintptr_t>::max();
  static_assert(flaw_at(top - 4095, 0, {1024}) == Flaw::kSize);  // ends at 2^64 itself
  static_assert(flaw_at(top - 4095, 0, {1023}) == Flaw::kNone);
  static_assert(flaw_at(top - 4095, 0, {4096}) == Flaw::kSize);
  static_assert(flaw_at(top - 4095, 4092, {0}) == Flaw::kNone);
  static_assert(flaw_at(top - 4095, 4096, {0}) == Flaw::kSize);  // data and offset alone
  static_assert(flaw_at(4096, top - 4095, {1}) == Flaw::kSize);
  static_assert(flaw_at(top, top, {}, kUInt8) == Flaw::kSize);
}

TEST(TensorView, ADeviceIndexExists) {
  static_assert(flaw_of_device(DeviceType::kCuda, -1) == Flaw::kDeviceIndex);
  static_assert(flaw_of_device(DeviceType::kCuda, 1) == Flaw::kNone);
  static_assert(flaw_of_device(DeviceType::kCuda, kDevices.cuda) == Flaw::kDeviceIndex);
  static_assert(flaw_of_device(DeviceType::kCpu, -1) == Flaw::kDeviceIndex);
  static_assert(flaw_of_device(DeviceType::kCpu, 7) == Flaw::kNone);  // how many is not known
  static_assert(flaw_of_device(DeviceType::kRocm, 7) == Flaw::kNone);
  static_assert(flaw_of_device(static_cast<DeviceType>(0), 0) == Flaw::kNone);
  static_assert(flaw_of_device(static_cast<DeviceType>(-77), 1000) == Flaw::kNone);
  static_assert(flaw_of_device(static_cast<DeviceType>(77), -1) == Flaw::kDeviceIndex);
}

TEST(TensorView, DataIsNonNullWhereThereAreElements) {
  static_assert(flaw_at(0, 0, {1}) == Flaw::kData);
  static_assert(flaw_at(0, 0, {}) == Flaw::kData);
  static_assert(flaw_at(0, 4096, {1}) == Flaw::kData);  // an offset does not make it a pointer
  static_assert(flaw_at(0, 0, {0}) == Flaw::kNone);
}

TEST(TensorView, DataIsAlignedToTheElementWithTheOffsetAdded) {
  static_assert(flaw_at(4098, 0, {1}) == Flaw::kData);
  static_assert(flaw_at(4096, 2, {1}) == Flaw::kData);
  static_assert(flaw_at(4098, 2, {1}) == Flaw::kNone);
  static_assert(flaw_at(4098, 0, {1}, kBfloat16) == Flaw::kNone);
  static_assert(flaw_at(4097, 0, {1}, kUInt8) == Flaw::kNone);
  static_assert(flaw_at(4104, 0, {1}, {DtypeCode::kComplex, 128, 1}) == Flaw::kData);
  static_assert(flaw_at(4098, 0, {0}) == Flaw::kData);
}

// One descriptor with every flaw; the repairs, in the order of the rules, uncover the next.
TEST(TensorView, TheFirstBrokenRuleIsTheFlaw) {
  std::int64_t shape[] = {-1, 2, 3}, strides[] = {1, -1, kMaxInt64};
  Descriptor from{.data = 1, .device = cuda(9), .dtype = {DtypeCode::kInt, 4, 1}, .rank = 9};
  from.strides = strides;
  const auto flaw = [&from] { return TensorView::from(from, kDevices).flaw; };
  EXPECT_EQ(flaw(), Flaw::kPresent);
  from.shape = shape;
  EXPECT_EQ(flaw(), Flaw::kRank);
  from.rank = 3;
  EXPECT_EQ(flaw(), Flaw::kDtypeWidth);
  from.dtype = kInt32;
  EXPECT_EQ(flaw(), Flaw::kShape);
  shape[0] = 1;
  EXPECT_EQ(flaw(), Flaw::kStrides);
  strides[1] = 3;
  EXPECT_EQ(flaw(), Flaw::kSize);
  strides[2] = 1;
  EXPECT_EQ(flaw(), Flaw::kDeviceIndex);
  from.device = cuda(1);
  EXPECT_EQ(flaw(), Flaw::kData);
  from.data = 4;
  EXPECT_EQ(flaw(), Flaw::kNone);
}

}  // namespace
}  // namespace prelaunch::testing
