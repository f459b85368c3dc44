// Right kernels give right results, in every order.
#include <algorithm>
#include <numeric>

#include "kernels/common/record_fault.h"
#include "kernels/emulator/test_support.h"

namespace prelaunch::emulator {
namespace {

std::vector<std::uint32_t> counting(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 1u);
  return values;
}

struct Partial {
  std::uint32_t sums[32];
};

// Sums a row of blockDim.x elements: warps by shuffles, the block through shared memory.
__global__ void block_sum(const std::uint32_t* in, std::uint32_t* out) {
  std::uint32_t sum = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
  auto& sums = shared<Partial>().sums;
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
  for (unsigned lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(~0u, sum, lanes);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

class BlockSizes : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Sizes, BlockSizes, testing::Values(32u, 64u, 128u, 1024u));

TEST_P(BlockSizes, ReductionIsRight) {
  const std::uint32_t n = GetParam();
  DeviceBuffer<std::uint32_t> in(3 * n), out(3);
  in.write(counting(3 * n));
  under_orders([&] {
    out.write({0, 0, 0});
    launch_ok({in.view(), out.view()}, {.blocks = {3}, .threads = {n}}, block_sum, in.data(),
              out.data());
    const std::uint32_t first = n * (n + 1) / 2;
    EXPECT_EQ(out.read(), (std::vector{first, first + n * n, first + 2 * n * n}));
  });
}

// An inclusive scan of one warp.
__global__ void warp_scan(const std::uint32_t* in, std::uint32_t* out) {
  std::uint32_t sum = in[threadIdx.x];
  for (unsigned delta = 1; delta < 32; delta *= 2) {
    const std::uint32_t below = __shfl_up_sync(0xffffffffu, sum, delta);
    if (threadIdx.x >= delta) sum += below;
  }
  out[threadIdx.x] = sum;
}

TEST(Kernels, ScanIsRight) {
  DeviceBuffer<std::uint32_t> in(32), out(32);
  in.write(counting(32));
  under_orders([&] {
    launch_ok({in.view(), out.view()}, {.threads = {32}}, warp_scan, in.data(), out.data());
    auto expected = counting(32);
    std::partial_sum(expected.begin(), expected.end(), expected.begin());
    EXPECT_EQ(out.read(), expected);
  });
}

// Two halves of a warp vote on their own, twice, the second half once more.
__global__ void votes(std::uint32_t* out) {
  const unsigned lane = threadIdx.x, mask = lane < 12 ? 0xfffu : 0xfffff000u;
  std::uint32_t result = __ballot_sync(mask, lane % 3 == 0);
  result ^= __any_sync(mask, lane == 3) != 0 ? 1u << 31 : 0;
  if (lane >= 12) result ^= __all_sync(mask, lane >= 12) != 0 ? 1u << 30 : 0;
  if (lane >= 12) result ^= __all_sync(mask, lane != 20) != 0 ? 1u << 29 : 0;
  __syncwarp();
  out[lane] = result;
}

TEST(Kernels, VotesOfPartialMasksAreRight) {
  DeviceBuffer<std::uint32_t> out(32);
  under_orders([&] {
    launch_ok({{}, out.view()}, {.threads = {32}}, votes, out.data());
    const std::uint32_t low = 0x249u | 1u << 31, high = 0x49249000u ^ 1u << 30;
    std::vector<std::uint32_t> expected(32, high);
    std::fill_n(expected.begin(), 12, low);
    EXPECT_EQ(out.read(), expected);
  });
}

__global__ void count_all(int* sum, unsigned* smallest, unsigned long long* bits, float* real) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(sum, i);
  atomicMin(smallest, static_cast<unsigned>(i + 5));
  atomicMax(bits, static_cast<unsigned long long>(i) << 40);
  atomicAdd(real, 0.5f);
}

TEST(Kernels, AtomicsMeetInOneWord) {
  DeviceBuffer<std::uint32_t> words(6);
  under_orders([&] {
    words.write({0, 99, 0, 0, 0, 0});
    auto* data = words.data();
    launch_ok({{}, words.view()}, {.blocks = {4}, .threads = {32}}, count_all,
              reinterpret_cast<int*>(data), data + 1,
              reinterpret_cast<unsigned long long*>(data + 2), reinterpret_cast<float*>(data + 4));
    const auto read = words.read();
    EXPECT_EQ(read[0], 127u * 64);
    EXPECT_EQ(read[1], 5u);
    EXPECT_EQ(read[3], 127u << 8);
    EXPECT_EQ(__uint_as_float(read[4]), 64.0f);
  });
}

__global__ void fault_some_rows(unsigned long long* word) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row % 10 == 7) record_fault(word, row, FaultCode::kSlotOutOfRange);
  if (row == 17) record_fault(word, row, FaultCode::kPositionOutOfRange);
}

TEST(Kernels, FaultWordNamesTheSmallestRowInAnyOrder) {
  DeviceBuffer<unsigned long long> word(1);
  under_orders([&] {
    word.write({kNoFault});
    launch_ok({{}, word.view()}, {.blocks = {4}, .threads = {32}}, fault_some_rows, word.data());
    EXPECT_EQ(read_fault(word.read()[0]), (Fault{7, FaultCode::kSlotOutOfRange}));
  });
}

TEST(Kernels, AbsentFaultWordIsNotWritten) {
  launch_ok({}, {.threads = {32}}, fault_some_rows, nullptr);
}

// Reverses a row through dynamic shared memory.
__global__ void reverse(const std::uint32_t* in, std::uint32_t* out) {
  auto* row = dynamic_shared<std::uint32_t>();
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = row[blockDim.x - 1 - threadIdx.x];
}

TEST(Kernels, DynamicSharedMemoryIsTheBlocks) {
  DeviceBuffer<std::uint32_t> in(100), out(100);
  in.write(counting(100));
  under_orders([&] {
    launch_ok({in.view(), out.view()}, {.threads = {100}, .shared_bytes = 400}, reverse, in.data(),
              out.data());
    auto expected = counting(100);
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(out.read(), expected);
  });
}

__global__ void write_index(std::uint32_t* out) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  __syncthreads();
  // Read again: the turn has been others' meanwhile.
  const auto lowest = __ffs(static_cast<int>(__ballot_sync(~0u, threadIdx.x == 3)));
  const unsigned lane = static_cast<unsigned>(lowest) - 1;
  out[block * 64 + thread] = block << 16 | lane << 8 | threadIdx.z << 4 | threadIdx.y;
}

TEST(Kernels, EveryThreadOfAThreeDimensionalGridRunsOnce) {
  DeviceBuffer<std::uint32_t> out(24 * 64);
  std::vector<std::uint32_t> expected;
  for (unsigned i = 0; i < 24 * 64; ++i) {
    expected.push_back(i / 64 << 16 | 3u << 8 | (i / 32 % 2) << 4 | (i / 4 % 8));
  }
  under_orders([&] {
    launch_ok({{}, out.view()}, {.blocks = {2, 3, 4}, .threads = {4, 8, 2}}, write_index,
              out.data());
    EXPECT_EQ(out.read(), expected);
    out.write(std::vector<std::uint32_t>(24 * 64, 0u));
  });
}

// Each phase one more thread leaves; the others meet in a barrier.
__global__ void leave_one_by_one(std::uint32_t* out) {
  auto& last = shared<Partial>().sums[0];
  for (unsigned phase = 0; phase < blockDim.x; ++phase) {
    if (threadIdx.x == phase) last = phase;
    __syncthreads();
    if (last != phase) return;
    __syncthreads();
    if (threadIdx.x == phase) break;
  }
  out[threadIdx.x] = threadIdx.x + 1;
}

TEST(Kernels, ExitedThreadsTakeNoPartInBarriers) {
  DeviceBuffer<std::uint32_t> out(40);
  under_orders([&] {
    out.write(std::vector<std::uint32_t>(40, 0u));
    launch_ok({{}, out.view()}, {.threads = {40}}, leave_one_by_one, out.data());
    EXPECT_EQ(out.read(), counting(40));
  });
}

// Vectors of each width, and the conversions in between.
__global__ void copy_vectors(const std::uint32_t* in, std::uint32_t* out) {
  reinterpret_cast<uint4*>(out)[0] = reinterpret_cast<const uint4*>(in)[0];
  const uint2 pair = __ldg(reinterpret_cast<const uint2*>(in + 4));
  __stcs(reinterpret_cast<uint2*>(out + 4), pair);
  out[6] = __ldcs(in + 6);
  __stcg(out + 7, __ldcg(in + 7));
  float4 real = *reinterpret_cast<const float4*>(in + 8);
  const float4 copy = real;
  real.x += 0;
  *reinterpret_cast<float4*>(out + 8) = make_float4(real.x, copy.y, real.z, copy.w);
  *reinterpret_cast<ulonglong2*>(out + 12) = *reinterpret_cast<const ulonglong2*>(in + 12);
}

TEST(Kernels, VectorsCopyTheirBytes) {
  DeviceBuffer<std::uint32_t> in(16), out(16);
  in.write(counting(16));
  launch_ok({in.view(), out.view()}, {}, copy_vectors, in.data(), out.data());
  EXPECT_EQ(out.read(), counting(16));
  static_assert(std::is_trivially_copyable_v<uint4> && std::is_trivially_copyable_v<__half>);
  static_assert(std::is_trivially_default_constructible_v<uint4>);
  static_assert(sizeof(uint4) == 16 && sizeof(uint2) == 8 && sizeof(__half2) == 4);
}

}  // namespace
}  // namespace prelaunch::emulator
