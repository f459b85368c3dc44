// What is addressable when, to the byte where ASan knows bytes.
#include <sys/mman.h>

#include <set>

#include "kernels/common/runs.h"
#include "kernels/emulator/memory.h"
#include "kernels/emulator/order.h"
#include "kernels/emulator/test_support.h"

namespace prelaunch::emulator {
namespace {

bool poisoned([[maybe_unused]] const void* byte) {
#if PRELAUNCH_ASAN
  return __asan_address_is_poisoned(byte) != 0;
#else
  return true;
#endif
}

// Random views of up to four dims over a small buffer, element size 1, 2 or 4.
TensorView random_view(std::uint64_t seed, std::uintptr_t data) {
  const auto below = [&](std::uint64_t n) {
    return static_cast<std::int64_t>((seed = mix(seed)) % n);
  };
  std::array<std::int64_t, 4> shape{}, strides{};
  for (std::size_t i = 0; i < 4; ++i) {
    shape[i] = below(20) == 0 ? 0 : 1 + below(4);
    strides[i] = below(2) == 0 ? below(4) : below(30);
  }
  const auto bits = static_cast<std::uint8_t>(8 << below(3));
  const auto offset = static_cast<std::uint64_t>(below(16) * bits / 8);
  const auto rank = static_cast<std::int32_t>(below(5));
  return TensorView::from(
      {data, offset, cuda(0), {DtypeCode::kUInt, bits, 1}, rank, shape.data(), strides.data()},
      {kDevices});
}

// The addresses of a view's bytes, one by one.
std::set<std::uintptr_t> bytes_of(const TensorView& view) {
  std::set<std::uintptr_t> bytes;
  for (std::int64_t i = 0; i < view.elements; ++i) {
    std::int64_t rest = i, offset = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(view.rank); ++d) {
      offset += rest % view.shape[d] * view.strides[d];
      rest /= view.shape[d];
    }
    for (std::int64_t b = 0; b < view.dtype.bytes(); ++b) {
      bytes.insert(view.address + static_cast<std::uintptr_t>(offset * view.dtype.bytes() + b));
    }
  }
  return bytes;
}

TEST(Runs, AreExactlyTheBytesOfTheElements) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    const TensorView view = random_view(seed, 4096);
    ASSERT_EQ(view.flaw, Flaw::kNone);
    std::set<std::uintptr_t> bytes;
    decompose(view).for_each([&](std::uintptr_t begin, std::uintptr_t end) {
      for (; begin < end; ++begin) bytes.insert(begin);
    });
    ASSERT_EQ(bytes, bytes_of(view)) << seed;
  }
}

TEST(Runs, ContiguousDimsAreOneRun) {
  const std::int64_t shape[] = {4, 1, 6, 8}, compact[] = {48, 77, 8, 1}, rows[] = {100, 0, 8, 1};
  const auto count = [&](const std::int64_t* strides) {
    return decompose(TensorView::from({4096, 0, cuda(0), kFloat32, 4, shape, strides}, {1})).count;
  };
  EXPECT_EQ(count(compact), 1);
  EXPECT_EQ(count(rows), 4);
}

TEST(Runs, TooManyAreOneRunOverTheExtent) {
  const std::int64_t big = std::int64_t{1} << 15;
  const std::int64_t shape[] = {big, big, big, big}, strides[] = {big * 2, 4, 2, 2};
  const TensorView view = TensorView::from({4096, 0, cuda(0), kUInt8, 4, shape, strides}, {1});
  const Runs runs = decompose(view, kMaxRuns);
  EXPECT_EQ(runs.count, 1);
  EXPECT_EQ(runs.run_bytes, view.extent);
}

// Of the granules that `bytes` meet: ASan's promise, see memory.h.
bool may_be_addressable(const std::set<std::uintptr_t>& bytes, std::uintptr_t address) {
  const std::uintptr_t granule_end = address - address % kGranule + kGranule;
  const auto next = bytes.lower_bound(address);
  return next != bytes.end() && *next < granule_end;
}

TEST(HostAccess, OpensTheViewAndNothingElse) {
  PRELAUNCH_NEEDS_ASAN();
  const DeviceBuffer<std::uint32_t> buffer(100);
  const auto base = reinterpret_cast<std::uintptr_t>(buffer.data());
  for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
    const TensorView view = random_view(seed, base);
    const auto bytes = bytes_of(view);
    {
      const HostAccess access(view);
      for (std::uintptr_t a = base; a < base + 400; ++a) {
        const bool open = !poisoned(reinterpret_cast<const void*>(a));
        ASSERT_EQ(open, may_be_addressable(bytes, a)) << seed << " " << a - base;
      }
    }
    for (std::uintptr_t a = base - 64; a < base + 464; ++a) {
      ASSERT_TRUE(poisoned(reinterpret_cast<const void*>(a))) << seed;
    }
  }
}

TEST(HostAccess, ScopesMayShareBytesAndGranules) {
  PRELAUNCH_NEEDS_ASAN();
  const DeviceBuffer<char> buffer(32);
  const HostAccess outer(buffer.data() + 4, 6);
  {
    const HostAccess inner(buffer.data(), 6), other(buffer.data() + 9, 8);
    EXPECT_FALSE(poisoned(buffer.data()));
    EXPECT_FALSE(poisoned(buffer.data() + 16));
  }
  for (int i = 4; i < 10; ++i) EXPECT_FALSE(poisoned(buffer.data() + i));
  EXPECT_TRUE(poisoned(buffer.data() + 10));
  EXPECT_TRUE(poisoned(buffer.data() + 16));
}

TEST(HostAccess, LeavesHostMemoryAlone) {
  std::array<std::uint64_t, 4> host{};
  {
    const HostAccess access(host.data(), sizeof(host));
  }
  host[1] = 1;
  EXPECT_EQ(host[1], 1u);
}

__global__ void touch(char* byte) { *byte = 1; }

TEST(HostAccessDeathTest, IsSuspendedWhileAKernelRuns) {
  PRELAUNCH_NEEDS_ASAN();
  const DeviceBuffer<char> buffer(8);
  const HostAccess access(buffer.data(), 8);
  EXPECT_DEATH(launch_ok({}, {}, touch, buffer.data()), kPoisoned);
  launch_ok({buffer.view(), {}}, {}, touch, buffer.data());
  EXPECT_EQ(*buffer.data(), 1);
}

TEST(Regions, OverlappingAndInterleavedViewsAreOpenedAndClosed) {
  PRELAUNCH_NEEDS_ASAN();
  const DeviceBuffer<char> buffer(64);
  // Rows of 5 at 0, 20, 40 and rows of 4 right after them, in the same granules.
  const TensorView in = buffer.view({3, 5}, {20, 1});
  TensorView out = buffer.view({3, 4}, {20, 1});
  out.address += 5;
  for (int byte = 0; byte < 49; byte += 20) {
    launch_ok({in, out}, {}, touch, buffer.data() + byte + 4);
    launch_ok({in, out}, {}, touch, buffer.data() + byte + 8);
    EXPECT_DEATH(launch_ok({in, out}, {}, touch, buffer.data() + byte + 9), kPoisoned);
  }
  for (int i = 0; i < 64; ++i) EXPECT_TRUE(poisoned(buffer.data() + i));
}

TEST(Regions, ScratchIsOpenedByItsBytes) {
  const DeviceBuffer<char> scratch(8);
  Regions regions;
  regions.add(scratch.data(), 8, cuda(0));
  char* const byte = scratch.data() + 7;
  EXPECT_TRUE(run("test_op", {}, regions, [&] { touch(byte); }).ok());
  EXPECT_EQ(scratch.read()[7], 1);
}

TEST(RegionsDeathTest, ViewThatEndsBeyondItsBufferIsOpenedToTheBuffersEnd) {
  PRELAUNCH_NEEDS_ASAN();
  const DeviceBuffer<char> buffer(13);
  const TensorView lie = buffer.view({40}, {1});
  launch_ok({lie, {}}, {}, touch, buffer.data() + 12);
  EXPECT_DEATH(launch_ok({lie, {}}, {}, touch, buffer.data() + 13), kPoisoned);
}

TEST(Memory, IsAlignedTaggedAndSurroundedByRedzones) {
  PRELAUNCH_NEEDS_ASAN();
  for (const std::size_t bytes : {1u, 7u, 8u, 255u, 4096u}) {
    char* const data = static_cast<char*>(allocate(cuda(2), bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 256, 0u);
    EXPECT_EQ(device_of(data, bytes), cuda(2));
    EXPECT_EQ(device_of(data + 1, bytes), std::nullopt);
    EXPECT_EQ(device_of(data - 1, 1), std::nullopt);
    const HostAccess access(data, bytes);
    for (int i = -64; i < static_cast<int>(bytes) + 64; ++i) {
      EXPECT_EQ(poisoned(data + i), i < 0 || i >= static_cast<int>(bytes)) << i;
    }
    EXPECT_FALSE(release(data + 1));
    EXPECT_TRUE(release(data));
    EXPECT_FALSE(release(data));
  }
}

TEST(Memory, AdoptedRangeIsDeviceMemoryUntilDisowned) {
  constexpr std::size_t kBytes = 8192;
  void* const base =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(base, MAP_FAILED);
  adopt(base, kBytes, cuda(3));
  EXPECT_EQ(device_of(base, kBytes), cuda(3));
  EXPECT_TRUE(poisoned(base));
  EXPECT_FALSE(release(base));
  EXPECT_DEATH(adopt(static_cast<char*>(base) + 64, 64, cuda(1)),
               "emulator fault: .*must not meet");
  EXPECT_DEATH(adopt(static_cast<char*>(base) - 64, 128, cuda(1)),
               "emulator fault: .*must not meet");
  disown(base);
  EXPECT_EQ(device_of(base, 1), std::nullopt);
  EXPECT_DEATH(disown(base), "emulator fault: .*only adopted");
  EXPECT_DEATH(adopt(static_cast<char*>(base) + 4, 64, cuda(1)),
               "emulator fault: .*multiples of 8");
  *static_cast<char*>(base) = 1;
  munmap(base, kBytes);
}

TEST(Memory, UntouchableRangeIsOnlyTagged) {
  constexpr std::size_t kBytes = std::size_t{1} << 32;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const base = mmap(nullptr, kBytes, PROT_NONE, flags, -1, 0);
  ASSERT_NE(base, MAP_FAILED);
  adopt_untouchable(base, kBytes, cuda(1));
  EXPECT_EQ(device_of(base, kBytes), cuda(1));
  disown(base);
  EXPECT_EQ(device_of(base, 1), std::nullopt);
  munmap(base, kBytes);
}

TEST(Memory, EmptyAllocationsAreReleased) {
  void* const a = allocate(cuda(0), 0);
  void* const b = allocate(cuda(0), 0);
  EXPECT_TRUE(release(a));
  EXPECT_TRUE(release(b));
}

}  // namespace
}  // namespace prelaunch::emulator
