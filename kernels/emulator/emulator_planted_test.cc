// Kernels and hosts with a planted bug each: the emulator must see it.
#include <numeric>

#include "kernels/emulator/test_support.h"

namespace prelaunch::emulator {
namespace {

using Grid = door::Grid;

// Copies rows of `length` that start `stride` apart.
__global__ void copy_rows(const std::uint32_t* in, std::uint32_t* out, unsigned length,
                          unsigned stride) {
  for (unsigned i = threadIdx.x; i < length; i += blockDim.x) {
    out[blockIdx.x * length + i] = in[blockIdx.x * stride + i];
  }
}

// Three rows of 5 elements, 8 apart.
class RowsDeathTest : public testing::Test {
 protected:
  void copy(unsigned length, unsigned stride, unsigned rows = 3) {
    launch_ok({in_.view({3, 5}, {8, 1}), out_.view()}, Grid{.blocks = {rows}, .threads = {32}},
              copy_rows, in_.data(), out_.data(), length, stride);
  }
  DeviceBuffer<std::uint32_t> in_{21}, out_{24};
};

TEST_F(RowsDeathTest, RightExtentAndStrideRun) { copy(5, 8); }

TEST_F(RowsDeathTest, ReadingPastTheLastRowCrashes) {
  PRELAUNCH_NEEDS_ASAN();
  // One row only, the last: the others' ends are gaps.
  const TensorView last = in_.view({1, 5}, {8, 1});
  EXPECT_DEATH(launch_ok({last, out_.view()}, Grid{.threads = {32}}, copy_rows, in_.data(),
                         out_.data(), 6u, 8u),
               kPoisoned);
}

TEST_F(RowsDeathTest, ReadingPastTheBufferCrashes) {
  PRELAUNCH_NEEDS_ASAN();
  EXPECT_DEATH(copy(5, 9), kPoisoned);
}

TEST_F(RowsDeathTest, ReadingTheGapBetweenRowsCrashes) {
  PRELAUNCH_NEEDS_ASAN();
  EXPECT_DEATH(copy(6, 8, 2), kPoisoned);
}

TEST_F(RowsDeathTest, TheReportNamesOpBlockAndThread) {
  PRELAUNCH_NEEDS_ASAN();
  EXPECT_DEATH(copy(6, 8), "emulating test_op: block \\(0,0,0\\) thread \\(5,0,0\\)");
}

__global__ void copy_one(const std::uint32_t* in, std::uint32_t* out) { *out = *in; }

TEST(PlantedDeathTest, PointerOfAnotherDeviceCrashes) {
  PRELAUNCH_NEEDS_ASAN();
  const DeviceBuffer<std::uint32_t> in(1, cuda(1)), out(1);
  EXPECT_DEATH(launch_ok({in.view(), out.view()}, {}, copy_one, in.data(), out.data()), kPoisoned);
}

TEST(PlantedDeathTest, DescriptorThatLiesAboutTheDeviceCrashes) {
  PRELAUNCH_NEEDS_ASAN();
  const DeviceBuffer<std::uint32_t> in(1, cuda(1)), out(1);
  TensorView lie = in.view();
  lie.device = cuda(0);
  EXPECT_DEATH(launch_ok({lie, out.view()}, {}, copy_one, in.data(), out.data()), kPoisoned);
}

TEST(PlantedDeathTest, HostMemoryAsAnArgumentIsAFault) {
  const DeviceBuffer<std::uint32_t> out(1);
  std::uint32_t host = 0;
  TensorView lie = out.view();
  lie.address = reinterpret_cast<std::uintptr_t>(&host);
  EXPECT_DEATH(launch_ok({lie, out.view()}, {}, copy_one, &host, out.data()),
               "emulator fault: test_op: a tensor lies in memory that no device holds");
}

TEST(PlantedDeathTest, LaunchOnADeviceThatIsNotCurrentIsAFault) {
  const DeviceBuffer<std::uint32_t> in(1, cuda(1)), out(1, cuda(1));
  EXPECT_DEATH(static_cast<void>(door::launch<TestOp>({in.view(), out.view()}, cuda(1), {}, nullptr,
                                                      copy_one, in.data(), out.data())),
               "emulator fault: test_op: the device of the launch is not current");
}

__global__ void copy_vector(const std::uint32_t* in, std::uint32_t* out) {
  *reinterpret_cast<uint4*>(out) = *reinterpret_cast<const uint4*>(in);
}

template <class Vector>
__global__ void read_vector(const std::uint32_t* in, std::uint32_t* out) {
  *out = static_cast<std::uint32_t>(__ldg(reinterpret_cast<const Vector*>(in)).x);
}

template <class Vector>
__global__ void write_vector(const std::uint32_t*, std::uint32_t* out) {
  *reinterpret_cast<Vector*>(out) = Vector{};
}

struct alignas(16) Pack {
  __nv_bfloat16 values[8];
};
__global__ void copy_pack(const std::uint32_t* in, std::uint32_t* out) {
  *reinterpret_cast<Pack*>(out) = *reinterpret_cast<const Pack*>(in);
}

// Offsets in elements of 4 bytes from an address that is aligned to 256.
void run_vectors(void (*kernel)(const std::uint32_t*, std::uint32_t*), int in_offset,
                 int out_offset) {
  const DeviceBuffer<std::uint32_t> in(16), out(16);
  launch_ok({in.view(), out.view()}, {}, kernel, in.data() + in_offset, out.data() + out_offset);
}

TEST(PlantedDeathTest, MisalignedVectorsCrash) {
  PRELAUNCH_NEEDS_ASAN();
  const char* const misaligned = "runtime error: .*misaligned address";
  run_vectors(copy_vector, 4, 8);
  run_vectors(read_vector<uint2>, 2, 0);
  EXPECT_DEATH(run_vectors(copy_vector, 2, 0), misaligned);
  EXPECT_DEATH(run_vectors(copy_vector, 0, 1), misaligned);
  EXPECT_DEATH(run_vectors(read_vector<uint2>, 1, 0), misaligned);
  EXPECT_DEATH(run_vectors(read_vector<ulonglong2>, 2, 0), misaligned);
  EXPECT_DEATH(run_vectors(write_vector<float4>, 0, 2), misaligned);
  EXPECT_DEATH(run_vectors(copy_pack, 2, 0), misaligned);
  EXPECT_DEATH(run_vectors(copy_pack, 0, 2), misaligned);
}

struct Rotated {
  std::uint32_t values[64];
};

// Without its last barrier, whether a thread sees its neighbour's value is a matter of order.
template <int kBarriers>
__global__ void rotate(const std::uint32_t* in, std::uint32_t* out) {
  auto& values = shared<Rotated>().values;
  values[threadIdx.x] = 0;
  __syncthreads();
  values[threadIdx.x] = in[threadIdx.x];
  for (int i = 0; i < kBarriers; ++i) __syncthreads();
  out[threadIdx.x] = values[(threadIdx.x + 1) % blockDim.x];
}

std::vector<std::uint32_t> run_rotate(void (*kernel)(const std::uint32_t*, std::uint32_t*),
                                      std::uint64_t order) {
  std::vector<std::uint32_t> values(64);
  std::iota(values.begin(), values.end(), 0u);
  DeviceBuffer<std::uint32_t> in(64), out(64);
  in.write(values);
  set_order(order);
  launch_ok({in.view(), out.view()}, {.threads = {64}}, kernel, in.data(), out.data());
  set_order(0);
  return out.read();
}

TEST(Planted, MissingBarrierGivesOtherResultsInTheReverseOrder) {
  EXPECT_EQ(run_rotate(rotate<1>, 6), run_rotate(rotate<1>, 7));
  EXPECT_EQ(run_rotate(rotate<1>, 0)[62], 63u);
  EXPECT_NE(run_rotate(rotate<0>, 0), run_rotate(rotate<0>, 1));
  EXPECT_NE(run_rotate(rotate<0>, 6), run_rotate(rotate<0>, 7));
}

// Every thread but one writes its element.
__global__ void forget_one(std::uint32_t* out, unsigned forgotten) {
  if (threadIdx.x != forgotten) out[threadIdx.x] = threadIdx.x;
}

TEST(Planted, UnwrittenElementKeepsThePrefill) {
  DeviceBuffer<std::uint32_t> out(32);
  const auto run = [&](std::uint32_t prefill) {
    out.write(std::vector<std::uint32_t>(32, prefill));
    launch_ok({{}, out.view()}, {.threads = {32}}, forget_one, out.data(), 13u);
    return out.read();
  };
  const auto zeros = run(0), ones = run(~0u);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(zeros[i] == ones[i], i != 13) << i;
}

__global__ void half_at_barrier() {
  if (threadIdx.x < 16) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}

TEST(PlantedDeathTest, BarrierNotReachedByAllIsAFault) {
  EXPECT_DEATH(launch_ok({}, {.blocks = {2}, .threads = {32}}, half_at_barrier),
               "emulator fault: test_op: a barrier that not every thread reaches.* "
               "block \\(0,0,0\\) thread \\(16,0,0\\)");
}

__global__ void exit_before_shuffle(unsigned survivors) {
  if (threadIdx.x >= survivors) return;
  __shfl_sync(0xffffffffu, 1, 0);
}

TEST(PlantedDeathTest, ShuffleWithAnExitedLaneIsAFault) {
  // In the natural order the exits come after the arrivals, in the reverse order before.
  EXPECT_DEATH(launch_ok({}, {.threads = {32}}, exit_before_shuffle, 31u),
               "emulator fault: test_op: .*exited.* thread \\(0,0,0\\)");
  EXPECT_DEATH(
      {
        set_order(1);
        launch_ok({}, {.threads = {32}}, exit_before_shuffle, 31u);
      },
      "emulator fault: test_op: .*exited.* thread \\(30,0,0\\)");
}

__global__ void shuffle_in_mask(unsigned mask_low, unsigned mask_high, int width) {
  __shfl_sync(threadIdx.x < 16 ? mask_low : mask_high, 1, 0, width);
}

TEST(PlantedDeathTest, WarpCollectivesThatCannotMeetAreFaults) {
  const auto run = [](unsigned threads, unsigned low, unsigned high, int width) {
    launch_ok({}, {.threads = {threads}}, shuffle_in_mask, low, high, width);
  };
  run(32, 0xffffu, 0xffff0000u, 16);
  EXPECT_DEATH(run(32, 0x1ffffu, 0xffff8000u, 16), "never meet: block");
  EXPECT_DEATH(run(32, 0xffffu, 0xffffffffu, 16), "a lane exited .*: block .* thread \\(16,0,0\\)");
  EXPECT_DEATH(run(32, 0xfffeu, 0xffff0000u, 16), "is not in its mask block .* thread \\(0,0,0\\)");
  EXPECT_DEATH(run(20, 0xffffu, 0xffff0000u, 16), "names a lane that does not exist block");
  EXPECT_DEATH(run(32, 0xffffu, 0xffff0000u, 12), "must be a power of two up to 32 block");
}

__global__ void vote_or_shuffle() {
  if (threadIdx.x % 2 == 0) {
    __any_sync(0xffffffffu, 1);
  } else {
    __shfl_sync(0xffffffffu, 1, 0);
  }
}

TEST(PlantedDeathTest, DifferentCollectivesNeverMeet) {
  EXPECT_DEATH(launch_ok({}, {.threads = {32}}, vote_or_shuffle), "never meet: block");
}

struct Small {
  std::uint32_t values[5];
};

__global__ void write_past_shared(int index) {
  std::uint32_t* values = shared<Small>().values;
  values[index] = 1;
}
__global__ void write_dynamic_shared(int index) { dynamic_shared<char>()[index] = 1; }

TEST(PlantedDeathTest, SharedMemoryOverflowCrashes) {
  PRELAUNCH_NEEDS_ASAN();
  launch_ok({}, {}, write_past_shared, 4);
  EXPECT_DEATH(launch_ok({}, {}, write_past_shared, 5), kPoisoned);
  EXPECT_DEATH(launch_ok({}, {}, write_past_shared, -1), kPoisoned);
  launch_ok({}, {.shared_bytes = 13}, write_dynamic_shared, 12);
  EXPECT_DEATH(launch_ok({}, {.shared_bytes = 13}, write_dynamic_shared, 13), kPoisoned);
  EXPECT_DEATH(launch_ok({}, {.shared_bytes = 13}, write_dynamic_shared, -1), kPoisoned);
  EXPECT_DEATH(launch_ok({}, {}, write_dynamic_shared, 0), kPoisoned);
}

struct Large {
  char bytes[48 * 1024];
};

__global__ void use_shared(bool both) {
  shared<Large>().bytes[0] = 1;
  if (both) shared<Small>().values[0] = 1;
}

TEST(PlantedDeathTest, MoreSharedMemoryThanABlockHasIsAFault) {
  launch_ok({}, {.shared_bytes = 179 * 1024}, use_shared, false);
  EXPECT_DEATH(launch_ok({}, {}, use_shared, true), "static shared memory beyond 48 KiB block");
  EXPECT_DEATH(launch_ok({}, {.shared_bytes = 179 * 1024 + 1}, use_shared, false),
               "shared memory beyond 227 KiB block");
}

TEST(PlantedDeathTest, VectorsInSharedMemoryThatOnlyBytesAlignCrash) {
  PRELAUNCH_NEEDS_ASAN();
  const auto kernel = +[] { *reinterpret_cast<uint2*>(shared<Small>().values) = uint2{}; };
  const auto run = [&](std::uint64_t order) {
    set_order(order);
    launch_ok({}, {}, kernel);
  };
  EXPECT_DEATH(run(1), "misaligned address");
  const auto wide = +[] { *reinterpret_cast<uint4*>(shared<Small>().values) = uint4{}; };
  EXPECT_DEATH(launch_ok({}, {}, wide), "misaligned address");
}

// Counts blocks in shared memory that nobody has set to 0.
__global__ void count_blocks(std::uint32_t* out) {
  out[blockIdx.x] = ++shared<Small>().values[0];
  dynamic_shared<std::uint32_t>()[0] += 1;
  out[gridDim.x + blockIdx.x] = dynamic_shared<std::uint32_t>()[0];
}

TEST(Planted, SharedMemoryOfAnotherBlockIsNeverSeen) {
  DeviceBuffer<std::uint32_t> out(8);
  launch_ok({{}, out.view()}, {.blocks = {4}, .shared_bytes = 4}, count_blocks, out.data());
  const auto counts = out.read();
  for (std::size_t i = 1; i < 8; ++i) EXPECT_NE(counts[i], counts[i - 1] + (i == 4 ? 0 : 1)) << i;
}

// Block 0 leaves a pointer into its shared memory for block 1.
__global__ void leak_shared(std::uint32_t** slot) {
  if (blockIdx.x == 0) {
    *slot = shared<Small>().values;
  } else {
    **slot = 1;
  }
}

TEST(PlantedDeathTest, SharedMemoryOfABlockThatEndedCrashes) {
  PRELAUNCH_NEEDS_ASAN();
  DeviceBuffer<std::uint32_t*> slot(1);
  EXPECT_DEATH(launch_ok({{}, slot.view()}, {.blocks = {2}}, leak_shared, slot.data()), kPoisoned);
}

TEST(PlantedDeathTest, HostThatTouchesDeviceMemoryCrashes) {
  PRELAUNCH_NEEDS_ASAN();
  const DeviceBuffer<std::uint32_t> buffer(4);
  EXPECT_DEATH(*buffer.data() = 1, kPoisoned);
  launch_ok({{}, buffer.view()}, {.threads = {4}}, forget_one, buffer.data(), 0u);
  EXPECT_DEATH(*buffer.data() = 1, kPoisoned);
  {
    const HostAccess access(buffer.data(), 4);
  }
  EXPECT_DEATH(*buffer.data() = 1, kPoisoned);
}

TEST(PlantedDeathTest, FreedDeviceMemoryCrashes) {
  PRELAUNCH_NEEDS_ASAN();
  auto* data = static_cast<volatile char*>(allocate(cuda(0), 4096));
  release(const_cast<char*>(data));
  EXPECT_DEATH(*data = 1, "heap-use-after-free");
}

}  // namespace
}  // namespace prelaunch::emulator
