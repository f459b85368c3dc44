// From a call, which is only data, to arguments and buffers.
#include "kernels/common/call.h"

#include <gtest/gtest.h>

#include <limits>

#include "kernels/common/sample_op.h"
#include "kernels/common/test_views.h"

namespace prelaunch::testing {
namespace {

using sample::Op;
constexpr std::size_t kX = field_index<Op>("x"), kCount = field_index<Op>("count"),
                      kScale = field_index<Op>("scale"), kFlag = field_index<Op>("flag"),
                      kLimit = field_index<Op>("limit"), kY = field_index<Op>("y"),
                      kOut = field_index<Op>("out");

Call good() {
  Call call;
  call.values[kX].tensor = compact(kFloat32, cuda(0), 0, {4});
  call.values[kCount].integer = 3;
  call.values[kScale].real = 0.5f;
  call.values[kFlag].boolean = true;
  call.values[kLimit].real = 2.0f;
  call.values[kY].tensor = compact(kBfloat16, cuda(1), 1, {2, 0, 3});
  call.values[kOut].absent = true;
  return call;
}

sample::Args bound(const Call& call) {
  return bind<Op>(call, place_buffers(call, tensor_fields<Op>(), 4096), kDevices);
}

TEST(Call, AFieldIsFoundByItsName) {
  static_assert(kX == 0 && kCount == 1 && kOut == 6);
  static_assert(tensor_fields<Op>() == (1u << kX | 1u << kY | 1u << kOut));
}

TEST(Call, ACompactSpecHasRowMajorStrides) {
  const TensorSpec spec = compact(kInt64, cuda(1), 7, {2, 0, 3});
  EXPECT_EQ(spec.rank, 3);
  EXPECT_EQ(spec.shape, (std::array<std::int64_t, kMaxRank>{2, 0, 3}));
  EXPECT_EQ(spec.strides, (std::array<std::int64_t, kMaxRank>{3, 3, 1}));
  EXPECT_EQ(spec.dtype, kInt64);
  EXPECT_EQ(spec.device, cuda(1));
  EXPECT_EQ(spec.buffer, 7);
}

TEST(Call, AShapeWhoseStridesDoNotFitStillMakesASpec) {
  const TensorSpec spec = compact(kInt64, cuda(0), 0, {2, 4, std::int64_t{1} << 62});
  EXPECT_EQ(spec.shape[2], std::int64_t{1} << 62);
  EXPECT_EQ(bytes_needed(spec), std::nullopt);
}

TEST(Call, BindingGivesEveryFieldItsValue) {
  const sample::Args args = bound(good());
  EXPECT_EQ(args.count, 3);
  EXPECT_EQ(args.scale, 0.5f);
  EXPECT_TRUE(args.flag);
  EXPECT_EQ(args.limit, 2.0f);
  EXPECT_TRUE(args.x.given && args.y.given);
  EXPECT_FALSE(args.out.given);
}

TEST(Call, AnAbsentOptionalScalarIsBoundToNothing) {
  Call call = good();
  call.values[kLimit].absent = true;
  EXPECT_EQ(bound(call).limit, std::nullopt);
}

TEST(Call, ATensorComesThroughItsDescriptorUnchanged) {
  Call call = good();
  TensorSpec& spec = call.values[kX].tensor;
  spec = compact(kBfloat16, {DeviceType::kRocm, 3}, 5, {2, 3, 4});
  spec.strides = {40, 8, 2};
  spec.offset = 6;
  const TensorView view = bound(call).x;
  EXPECT_EQ(view.flaw, Flaw::kNone);
  EXPECT_EQ(view.shape, spec.shape);
  EXPECT_EQ(view.strides, spec.strides);
  EXPECT_EQ(view.dtype, spec.dtype);
  EXPECT_EQ(view.device, spec.device);
  EXPECT_EQ(view.address % 256, 6u);
  EXPECT_EQ(view.extent, 2 * (40 + 2 * 8 + 3 * 2 + 1));
}

TEST(Call, ASpecSaysWhereItsPointersAre) {
  TensorSpec spec = compact(kFloat32, cuda(0), 0, {4});
  EXPECT_EQ(describe(spec, 512).data, reinterpret_cast<void*>(512));
  EXPECT_EQ(describe(spec, 512).shape, spec.shape.data());
  EXPECT_EQ(describe(spec, 512).strides, spec.strides.data());
  spec.source = DataSource::kNull;
  EXPECT_EQ(describe(spec, 512).data, nullptr);
  spec.source = DataSource::kLiteral;
  spec.literal = ~std::uint64_t{0};
  EXPECT_EQ(describe(spec, 512).data, reinterpret_cast<void*>(~std::uintptr_t{0}));
  spec.null_shape = spec.null_strides = true;
  EXPECT_EQ(describe(spec, 512).shape, nullptr);
  EXPECT_EQ(describe(spec, 512).strides, nullptr);
}

TEST(Call, AHostileSpecIsBoundAndFlawed) {
  Call call = good();
  TensorSpec& spec = call.values[kX].tensor;
  spec.device.type = static_cast<DeviceType>(-5);
  spec.dtype = {static_cast<DtypeCode>(255), 255, 65535};
  spec.buffer = 255;
  EXPECT_EQ(bound(call).x.flaw, Flaw::kDtypeWidth);
  EXPECT_EQ(bound(call).x.device, spec.device);
  spec.rank = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(bound(call).x.flaw, Flaw::kRank);
  spec.null_shape = true;
  EXPECT_EQ(bound(call).x.flaw, Flaw::kPresent);
}

TEST(Call, BytesNeededReachFromThePointerToPastTheLastElement) {
  TensorSpec spec = compact(kFloat32, cuda(0), 0, {2, 3});
  EXPECT_EQ(bytes_needed(spec), 24);
  spec.offset = 8;
  EXPECT_EQ(bytes_needed(spec), 32);
  spec.strides = {10, 2};
  EXPECT_EQ(bytes_needed(spec), 8 + 4 * 15);
  spec.null_strides = true;
  EXPECT_EQ(bytes_needed(spec), 32);
  spec.shape[0] = 0;
  EXPECT_EQ(bytes_needed(spec), 8);
  spec.device = cuda(99);  // where it lies does not matter
  spec.source = DataSource::kNull;
  EXPECT_EQ(bytes_needed(spec), 8);
}

TEST(Call, AMalformedSpecNeedsNoNumberOfBytes) {
  const TensorSpec spec = compact(kFloat32, cuda(0), 0, {2, 3});
  TensorSpec bad = spec;
  bad.offset = static_cast<std::uint64_t>(kMaxInt64) - 23;
  EXPECT_EQ(bytes_needed(bad), std::nullopt);
  bad.offset -= 1;
  EXPECT_EQ(bytes_needed(bad), kMaxInt64);
  for (const std::int64_t dim : {std::int64_t{-1}, kMaxInt64, kMinInt64}) {
    bad = spec;
    bad.shape[0] = dim;
    EXPECT_EQ(bytes_needed(bad), std::nullopt);
  }
  bad = spec;
  bad.strides[0] = -1;
  EXPECT_EQ(bytes_needed(bad), std::nullopt);
  bad = spec;
  bad.rank = 9;
  EXPECT_EQ(bytes_needed(bad), std::nullopt);
  bad = spec;
  bad.null_shape = true;
  EXPECT_EQ(bytes_needed(bad), std::nullopt);
  bad = spec;
  bad.dtype.lanes = 2;
  EXPECT_EQ(bytes_needed(bad), std::nullopt);
}

}  // namespace
}  // namespace prelaunch::testing
