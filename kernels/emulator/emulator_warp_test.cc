// Shuffles against PTX's definition of shfl.sync, for all operands and widths.
#include "kernels/emulator/test_support.h"

namespace prelaunch::emulator {
namespace {

enum class Shuffle { kIndex, kUp, kDown, kXor };

template <class T>
__device__ T shuffle_by(Shuffle kind, T value, int operand, int width) {
  const auto delta = static_cast<unsigned>(operand);
  switch (kind) {
    case Shuffle::kIndex:
      return __shfl_sync(~0u, value, operand, width);
    case Shuffle::kUp:
      return __shfl_up_sync(~0u, value, delta, width);
    case Shuffle::kDown:
      return __shfl_down_sync(~0u, value, delta, width);
    case Shuffle::kXor:
      return __shfl_xor_sync(~0u, value, operand, width);
  }
  return value;
}

template <class T>
__global__ void read_lanes(T* out, Shuffle kind, int operand, int width) {
  const T mine = static_cast<T>(threadIdx.x) * T{1} + T{1};
  out[threadIdx.x] = shuffle_by(kind, mine, operand, width) - T{1};
}

// PTX ISA, shfl.sync: the source lane j from a = lane, b = operand, and c as CUDA builds it.
unsigned ptx_source(Shuffle kind, unsigned lane, unsigned operand, unsigned width) {
  const unsigned segment_mask = 32 - width, bval = operand & 31,
                 cval = kind == Shuffle::kUp ? 0 : 31;
  const unsigned max_lane = (lane & segment_mask) | (cval & ~segment_mask);
  const unsigned min_lane = lane & segment_mask;
  int j = 0;
  bool valid = false;
  switch (kind) {
    case Shuffle::kUp:
      j = static_cast<int>(lane) - static_cast<int>(bval);
      valid = j >= static_cast<int>(max_lane);
      break;
    case Shuffle::kDown:
      j = static_cast<int>(lane + bval);
      valid = j <= static_cast<int>(max_lane);
      break;
    case Shuffle::kXor:
      j = static_cast<int>(lane ^ bval);
      valid = j <= static_cast<int>(max_lane);
      break;
    case Shuffle::kIndex:
      j = static_cast<int>(min_lane | (bval & ~segment_mask));
      valid = j <= static_cast<int>(max_lane);
      break;
  }
  return valid ? static_cast<unsigned>(j) : lane;
}

template <class T>
class ShuffleTest : public testing::Test {};
using Types = testing::Types<int, unsigned, float, double, long long, unsigned long long>;
TYPED_TEST_SUITE(ShuffleTest, Types);

TYPED_TEST(ShuffleTest, ReadsTheLaneThatPtxReads) {
  using T = TypeParam;
  DeviceBuffer<T> out(32);
  for (const Shuffle kind : {Shuffle::kIndex, Shuffle::kUp, Shuffle::kDown, Shuffle::kXor}) {
    for (int width = 1; width <= 32; width *= 2) {
      for (int operand = 0; operand < 34; ++operand) {
        launch_ok({{}, out.view()}, {.threads = {32}}, read_lanes<T>, out.data(), kind, operand,
                  width);
        const auto read = out.read();
        for (unsigned lane = 0; lane < 32; ++lane) {
          const unsigned source =
              ptx_source(kind, lane, static_cast<unsigned>(operand), static_cast<unsigned>(width));
          ASSERT_EQ(read[lane], static_cast<T>(source)) << operand << " of " << width;
        }
      }
    }
  }
}

// Lane 0's value is in the mask of none but itself.
__global__ void read_outside_of_mask(std::uint32_t* out) {
  const unsigned mask = threadIdx.x == 0 ? 1u : ~1u;
  out[threadIdx.x] = __shfl_sync(mask, threadIdx.x + 1, 0);
}

TEST(Shuffles, ValueFromOutsideOfTheMaskIsGarbage) {
  DeviceBuffer<std::uint32_t> out(32);
  launch_ok({{}, out.view()}, {.threads = {32}}, read_outside_of_mask, out.data());
  const auto read = out.read();
  EXPECT_EQ(read[0], 1u);
  for (std::size_t lane = 1; lane < 32; ++lane) EXPECT_NE(read[lane], 1u);
}

// Four masks of 8 lanes do different numbers of rounds at the same time, then all 32 meet.
__global__ void rounds(std::uint32_t* out) {
  const unsigned group = threadIdx.x / 8, mask = 0xffu << 8 * group;
  std::uint32_t sum = 0;
  for (unsigned round = 0; round <= group; ++round) {
    sum += __shfl_sync(mask, threadIdx.x, static_cast<int>(8 * group + round));
  }
  out[threadIdx.x] = __shfl_xor_sync(~0u, sum, 8);
}

TEST(Shuffles, DisjointMasksAreUnderWayAtTheSameTime) {
  DeviceBuffer<std::uint32_t> out(32);
  under_orders([&] {
    launch_ok({{}, out.view()}, {.threads = {32}}, rounds, out.data());
    const auto read = out.read();
    const std::uint32_t sums[] = {0, 8 + 9, 16 + 17 + 18, 24 + 25 + 26 + 27};
    for (std::size_t lane = 0; lane < 32; ++lane) EXPECT_EQ(read[lane], sums[lane / 8 ^ 1]);
  });
}

__global__ void shuffle_halves(unsigned short* out) {
  const __half mine = __float2half(static_cast<float>(threadIdx.x));
  out[threadIdx.x] = __half_as_ushort(__shfl_xor_sync(~0u, mine, 1));
}

TEST(Shuffles, HalvesAreShuffledByTheirBits) {
  DeviceBuffer<unsigned short> out(32);
  launch_ok({{}, out.view()}, {.threads = {32}}, shuffle_halves, out.data());
  EXPECT_EQ(__half2float(__ushort_as_half(out.read()[6])), 7.0f);
}

}  // namespace
}  // namespace prelaunch::emulator
