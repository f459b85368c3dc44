// Launches: limits, failures, orders; and the emulated door.
#include <algorithm>
#include <numeric>

#include "kernels/emulator/door_emulator.h"
#include "kernels/emulator/order.h"
#include "kernels/emulator/test_support.h"

namespace prelaunch::emulator {
namespace {

__global__ void nothing() {}

Status launch_shape(dim3 blocks, dim3 threads, std::size_t shared_bytes = 0) {
  return door::launch<TestOp>({}, cuda(0), {blocks, threads, shared_bytes}, nullptr, nothing);
}

TEST(Launch, ShapesBeyondCudasLimitsFail) {
  const std::string text =
      "test_op: launch failed: cudaErrorInvalidConfiguration (invalid configuration argument)";
  for (const dim3 threads : {dim3(1025), dim3(0), dim3(1, 0), dim3(1, 1, 0), dim3(1, 1, 65),
                             dim3(32, 33), dim3(1u << 16, 1u << 16)}) {
    EXPECT_EQ(launch_shape({1}, threads).message(), text);
  }
  for (const dim3 blocks :
       {dim3(0), dim3(1, 0), dim3(1, 1, 0), dim3(1u << 31), dim3(1, 65536), dim3(1, 1, 65536)}) {
    EXPECT_EQ(launch_shape(blocks, {1}).message(), text);
  }
  EXPECT_EQ(launch_shape({1}, {1}, 227 * 1024 + 1).message(), text);
}

TEST(Launch, ShapesAtTheLimitsRun) {
  for (const dim3 threads : {dim3(1024), dim3(1, 1024), dim3(16, 1, 64)}) {
    EXPECT_TRUE(launch_shape({1}, threads).ok());
  }
  for (const dim3 blocks : {dim3(70000), dim3(1, 65535), dim3(1, 1, 65535)}) {
    EXPECT_TRUE(launch_shape(blocks, {1}).ok());
  }
  EXPECT_TRUE(launch_shape({1}, {1}, 227 * 1024).ok());
}

TEST(Launch, ForcedFailureRunsNothingAndIsOver) {
  const DeviceBuffer<std::uint32_t> out(1);
  const auto before = out.read();
  fail_next_launch();
  const auto kernel = +[](std::uint32_t* word) { *word += 1; };
  const auto launch = [&] {
    return door::launch<TestOp>({{}, out.view()}, cuda(0), {}, nullptr, kernel, out.data());
  };
  EXPECT_EQ(launch().message(),
            "test_op: launch failed: cudaErrorLaunchOutOfResources (too many resources requested "
            "for launch)");
  EXPECT_EQ(out.read(), before);
  EXPECT_TRUE(launch().ok());
  EXPECT_EQ(out.read()[0], before[0] + 1);
}

__global__ void count_in(std::uint32_t* scratch, std::uint32_t* out) {
  scratch[0] = 40;
  out[0] = scratch[0] + 2;
}

TEST(Launch, ScratchIsTheKernelsWhileItRunsAndGivenBack) {
  const DeviceBuffer<std::uint32_t> out(1);
  const std::uint64_t before = door::counts().allocations;
  {
    door::Scratch scratch;
    ASSERT_TRUE(scratch.allocate("test_op", 4, nullptr).ok());
    auto* word = static_cast<std::uint32_t*>(scratch.data());
    const door::Grid grid{.scratch = &scratch};
    EXPECT_TRUE(
        door::launch<TestOp>({{}, out.view()}, cuda(0), grid, nullptr, count_in, word, out.data())
            .ok());
    EXPECT_EQ(out.read()[0], 42u);
    EXPECT_TRUE(device_of(word, 4).has_value());
  }
  EXPECT_EQ(door::counts().allocations - before, 2u);
}

TEST(LaunchDeathTest, ScratchThatTheGridDoesNotNameIsForeign) {
  PRELAUNCH_NEEDS_ASAN();
  const DeviceBuffer<std::uint32_t> out(1);
  door::Scratch scratch;
  ASSERT_TRUE(scratch.allocate("test_op", 4, nullptr).ok());
  auto* word = static_cast<std::uint32_t*>(scratch.data());
  EXPECT_DEATH(static_cast<void>(door::launch<TestOp>({{}, out.view()}, cuda(0), {}, nullptr,
                                                      count_in, word, out.data())),
               kPoisoned);
}

TEST(Launch, NoScratchIsNoAllocation) {
  const std::uint64_t before = door::counts().allocations;
  door::Scratch none;
  EXPECT_TRUE(none.allocate("test_op", 0, nullptr).ok());
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(door::counts().allocations, before);
}

__global__ void note_order(std::uint32_t* out) {
  out[1 + out[0]++] = blockIdx.x * blockDim.x + threadIdx.x;
}

std::vector<std::uint32_t> order_of(std::uint64_t seed) {
  DeviceBuffer<std::uint32_t> out(1 + 4 * 8);
  out.write(std::vector<std::uint32_t>(33, 0u));
  set_order(seed);
  launch_ok({{}, out.view()}, {.blocks = {4}, .threads = {8}}, note_order, out.data());
  set_order(0);
  const auto notes = out.read();
  return {notes.begin() + 1, notes.end()};
}

TEST(Order, SeedZeroIsNaturalAndOddSeedsRunBackwards) {
  std::vector<std::uint32_t> natural(32);
  std::iota(natural.begin(), natural.end(), 0u);
  EXPECT_EQ(order_of(0), natural);
  for (const std::uint64_t seed : {0u, 2u, 40u}) {
    auto forwards = order_of(seed), backwards = order_of(seed + 1);
    std::reverse(backwards.begin(), backwards.end());
    EXPECT_EQ(forwards, backwards);
    EXPECT_EQ(order_of(seed), forwards);
    EXPECT_EQ(forwards == natural, seed == 0);
    std::sort(forwards.begin(), forwards.end());
    EXPECT_EQ(forwards, natural);
  }
}

TEST(Order, IsTheSameOnEveryMachine) {
  const Permutation order(14, 11);
  std::string text;
  for (std::uint64_t i = 0; i < 11; ++i) text += std::to_string(order(i)) + " ";
  EXPECT_EQ(text, "1 3 5 7 9 0 2 4 6 8 10 ");
}

TEST(Order, PermutationsHitEveryNumberOnce) {
  for (std::uint64_t size = 1; size < 70; ++size) {
    for (std::uint64_t seed = 0; seed < 70; ++seed) {
      std::vector<bool> hit(size);
      const Permutation order(seed, size);
      for (std::uint64_t i = 0; i < size; ++i) hit[order(i)] = true;
      ASSERT_EQ(std::count(hit.begin(), hit.end(), true), static_cast<std::ptrdiff_t>(size));
    }
  }
}

TEST(Door, NamesItselfAndItsDevices) {
  EXPECT_EQ(door::backend(), "emulator");
  EXPECT_GE(door::device_count().cuda, 2);
  EXPECT_EQ(door::device_count().cuda, kDevices);
  EXPECT_DEATH(door::set_current_device(kDevices), "emulator fault: .*does not exist");
}

TEST(Door, DeviceGuardGivesTheCallersDeviceBack) {
  door::set_current_device(1);
  const door::Counts before = door::counts();
  {
    const door::DeviceGuard guard(2);
    EXPECT_EQ(door::current_device(), 2);
    {
      const door::DeviceGuard same(2);
    }
    EXPECT_EQ(door::current_device(), 2);
  }
  EXPECT_EQ(door::current_device(), 1);
  EXPECT_EQ((door::counts() - before).device_sets, 2u);
  door::set_current_device(0);
}

TEST(Door, AllocatesOnTheCurrentDeviceUpToTheLimit) {
  const door::DeviceGuard guard(3);
  void* data = nullptr;
  EXPECT_TRUE(door::allocate("some_op", 100, nullptr, &data).ok());
  EXPECT_EQ(device_of(data, 100), cuda(3));
  EXPECT_TRUE(door::release(data, nullptr).ok());
  EXPECT_FALSE(door::release(data, nullptr).ok());
  set_allocation_limit(100);
  EXPECT_EQ(door::allocate("some_op", 101, nullptr, &data).message(),
            "some_op: allocate failed: cudaErrorMemoryAllocation (out of memory)");
  EXPECT_EQ(data, nullptr);
  set_allocation_limit(kDefaultAllocationLimit);
  EXPECT_FALSE(door::allocate("some_op", kDefaultAllocationLimit + 1, nullptr, &data).ok());
  EXPECT_FALSE(door::allocate("some_op", -1, nullptr, &data).ok());
  EXPECT_TRUE(door::allocate("some_op", 0, nullptr, &data).ok());
  EXPECT_TRUE(door::release(nullptr, nullptr).ok());
}

TEST(Door, CopiesAndFillsDeviceMemoryOnly) {
  const DeviceBuffer<char> buffer(8);
  std::array<char, 8> host{1, 2, 3, 4, 5, 6, 7, 8}, back{};
  using door::Direction;
  EXPECT_TRUE(door::copy(buffer.data(), host.data(), 8, Direction::kHostToDevice, nullptr).ok());
  EXPECT_TRUE(door::fill(buffer.data() + 6, 9, 2, nullptr).ok());
  EXPECT_TRUE(door::copy(back.data(), buffer.data(), 8, Direction::kDeviceToHost, nullptr).ok());
  EXPECT_EQ(back, (std::array<char, 8>{1, 2, 3, 4, 5, 6, 9, 9}));
  EXPECT_EQ(door::copy(back.data(), host.data(), 8, Direction::kHostToDevice, nullptr).message(),
            "door: copy failed: cudaErrorInvalidValue (invalid argument)");
  EXPECT_FALSE(door::fill(buffer.data(), 0, 9, nullptr).ok());
  EXPECT_TRUE(door::synchronize(nullptr).ok());
}

TEST(Door, CountsWhatGoesThroughIt) {
  const DeviceBuffer<char> buffer(8);
  const door::Counts before = door::counts();
  EXPECT_TRUE(launch_shape({1}, {1}).ok());
  EXPECT_FALSE(launch_shape({0}, {1}).ok());
  EXPECT_TRUE(door::fill(buffer.data(), 0, 8, nullptr).ok());
  void* data = nullptr;
  EXPECT_TRUE(door::allocate("some_op", 8, nullptr, &data).ok());
  EXPECT_TRUE(door::release(data, nullptr).ok());
  EXPECT_EQ(door::counts() - before, (door::Counts{2, 2, 1, 0}));
}

}  // namespace
}  // namespace prelaunch::emulator
