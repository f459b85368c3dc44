// How large the buffers of a call are, and where they lie.
#include <gtest/gtest.h>

#include "kernels/common/call.h"
#include "kernels/common/choices.h"
#include "kernels/common/sample_op.h"
#include "kernels/common/test_views.h"

namespace prelaunch::testing {
namespace {

using sample::Op;
constexpr std::uint32_t kTensors = tensor_fields<Op>();
constexpr std::size_t kX = field_index<Op>("x"), kCount = field_index<Op>("count"),
                      kY = field_index<Op>("y"), kOut = field_index<Op>("out");

Call with(TensorSpec x, TensorSpec y, TensorSpec out) {
  Call call;
  call.values[kX].tensor = x;
  call.values[kY].tensor = y;
  call.values[kOut].tensor = out;
  return call;
}

TensorSpec bytes(std::int64_t count, std::uint8_t buffer) {
  return compact(kUInt8, cuda(0), buffer, {count});
}

TEST(CallBuffers, ASharedBufferIsAsLargeAsItsLargestTensorNeeds) {
  TensorSpec late = bytes(10, 3);
  late.offset = 95;
  const Placement p = measure_buffers(with(bytes(100, 3), late, bytes(7, 4)), kTensors);
  EXPECT_EQ(p.size[3], 105);
  EXPECT_EQ(measure_buffers(with(late, bytes(100, 3), bytes(7, 4)), kTensors).size, p.size);
  EXPECT_EQ(p.size[4], 7);
  EXPECT_EQ(p.size[0], 0);
}

TEST(CallBuffers, OnlyTensorsThatLieInABufferAreMeasured) {
  Call call = with(bytes(100, 0), bytes(100, 1), bytes(100, 2));
  call.values[kX].absent = true;
  call.values[kY].tensor.source = DataSource::kLiteral;
  call.values[kOut].tensor.source = DataSource::kNull;
  call.values[kCount].tensor = bytes(100, 5);  // a scalar's field
  call.values[19].tensor = bytes(100, 6);      // no field at all
  EXPECT_EQ(measure_buffers(call, kTensors).size, Placement{}.size);
}

TEST(CallBuffers, ATensorWithoutANumberOfBytesAsksForNone) {
  TensorSpec hostile = bytes(kMaxInt64, 0);
  hostile.offset = 1;
  EXPECT_EQ(measure_buffers(with(hostile, bytes(9, 0), bytes(5, 1)), kTensors).size[0], 9);
}

TEST(CallBuffers, ABufferNumberIsTakenModuloTheirCount) {
  const Placement p = measure_buffers(with(bytes(5, 255), bytes(6, 24), bytes(7, 1)), kTensors);
  EXPECT_EQ(p.size[255 % kMaxBuffers], 5);
  EXPECT_EQ(p.size[0], 6);
}

TEST(CallBuffers, BuffersAreAlignedAndApart) {
  Choices choose(11);
  for (int i = 0; i < 1000; ++i) {
    const auto draw = [&choose] {
      return bytes(choose.between(0, 1100), static_cast<std::uint8_t>(choose.below(kMaxBuffers)));
    };
    const Call call = with(draw(), draw(), draw());
    const std::uintptr_t start = choose.below(5000);
    const Placement p = place_buffers(call, kTensors, start);
    EXPECT_EQ(p.size, measure_buffers(call, kTensors).size);
    EXPECT_GE(p.base[0], start);
    for (std::size_t b = 0; b < kMaxBuffers; ++b) {
      ASSERT_EQ(p.base[b] % 256, 0u);
      if (b == 0) continue;
      ASSERT_GE(p.base[b], p.base[b - 1] + static_cast<std::uintptr_t>(p.size[b - 1]) + 256);
    }
  }
}

TEST(CallBuffers, TensorsOfOneBufferShareItAndOthersDoNot) {
  const Call call = with(bytes(100, 0), bytes(100, 0), bytes(100, 1));
  const sample::Args args = bind<Op>(call, place_buffers(call, kTensors, 4096), kDevices);
  EXPECT_EQ(args.x.address, args.y.address);
  EXPECT_TRUE(extents_disjoint(args.x, args.out));
}

TEST(CallBuffers, EqualCallsHaveEqualBits) {
  Call a, b;
  a.values[0].real = b.values[0].real = std::bit_cast<float>(0x7fc00001u);
  EXPECT_EQ(a, b) << "a NaN equals itself";
  b.values[0].real = std::bit_cast<float>(0x7fc00002u);
  EXPECT_FALSE(a == b);
  a.values[0].real = 0.0f;
  b.values[0].real = -0.0f;
  EXPECT_FALSE(a == b);
  b = a;
  b.values[19].tensor.strides[7] = 1;
  EXPECT_FALSE(a == b);
}

}  // namespace
}  // namespace prelaunch::testing
