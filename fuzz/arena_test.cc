#include "fuzz/arena.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <initializer_list>

#include "kernels/emulator/memory.h"
#include "kernels/emulator/sanitizer.h"

namespace prelaunch::fuzz {
namespace {

constexpr std::uint32_t kThree = 0b111;

Arena& arena() { return Arena::instance(); }

// A call of up to three tensors, each in its own buffer unless its spec says otherwise.
Call call_of(std::initializer_list<TensorSpec> specs) {
  Call call;
  for (Value& value : call.values) value.absent = true;
  std::size_t i = 0;
  for (const TensorSpec& spec : specs) call.values[i++] = {.absent = false, .tensor = spec};
  return call;
}

TensorSpec bytes(std::uint8_t buffer, std::int64_t count) {
  return compact(kUInt8, cuda(0), buffer, {count});
}

TensorSpec strided(std::uint8_t buffer, std::int64_t rows, std::int64_t columns,
                   std::int64_t stride) {
  TensorSpec spec = compact(kUInt8, cuda(0), buffer, {rows, columns});
  spec.strides[0] = stride;
  return spec;
}

TensorView view_of(const TensorSpec& spec, const Placement& where) {
  const DLTensor tensor = describe(spec, where.base[spec.buffer]);
  return TensorView::from(&tensor, {emulator::kDevices});
}

// A materialised call, retired at the end of the scope.
struct Memory {
  explicit Memory(const Call& c, std::uint32_t seed = 1)
      : call(c), where(arena().place(call, kThree)) {
    ok = arena().materialise(call, kThree, {}, seed);
  }
  ~Memory() { arena().retire(); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::string read(const TensorSpec& spec) const {
    const TensorView view = view_of(spec, where);
    const emulator::HostAccess access(view);
    return {reinterpret_cast<const char*>(view.address), static_cast<std::size_t>(view.extent)};
  }
  Call call;
  Placement where;
  bool ok = false;
};

// Changes one byte behind everybody's back.
void flip(std::uintptr_t address) {
  emulator::unpoison(address, address + 1);
  auto* byte = reinterpret_cast<std::uint8_t*>(address);
  *byte = static_cast<std::uint8_t>(*byte + 1);
}

char load(std::uintptr_t address) { return *reinterpret_cast<const volatile char*>(address); }

std::string changed(const std::vector<const TensorView*>& written = {}) {
  return arena().foreign_change(written).value_or("nothing");
}

std::int64_t resident_pages() {
  std::int64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident;
}

TEST(Arena, BuffersDoNotMeet) {
  for (const std::int64_t size :
       {std::int64_t{1}, Arena::kDense, Arena::kDense + 1, std::int64_t{1} << 33}) {
    const Call call = call_of({bytes(0, size), bytes(1, size), bytes(23, size)});
    const Placement where = arena().place(call, kThree);
    for (const auto& [a, b] : {std::pair{0, 1}, {1, 23}, {0, 23}}) {
      const std::uintptr_t end =
          where.base[static_cast<std::size_t>(a)] + static_cast<std::uintptr_t>(size) + 64;
      EXPECT_LE(end + 64, where.base[static_cast<std::size_t>(b)]) << size;
      EXPECT_EQ(where.size[static_cast<std::size_t>(a)], size);
    }
  }
}

TEST(ArenaDeathTest, MemoryIsUntouchableBeforeAndAfter) {
  if (!emulator::kPoisons) GTEST_SKIP() << "this tree is built without AddressSanitizer";
  for (const std::int64_t size : {std::int64_t{1}, std::int64_t{1} << 20}) {
    const Call call = call_of({strided(0, 2, 64, size * 64)});
    const std::uintptr_t base = arena().place(call, kThree).base[0];
    EXPECT_DEATH(load(base), "AddressSanitizer");
    {
      const Memory memory(call);
      ASSERT_TRUE(memory.ok);
      EXPECT_DEATH(load(base), "Address");
    }
    EXPECT_DEATH(load(base), "AddressSanitizer");
  }
}

TEST(ArenaDeathTest, ABufferLargerThanAnySlotHasAnAddressThatFaults) {
  const Call call = call_of({bytes(0, Arena::kSlot), bytes(1, 8)});
  const Placement where = arena().place(call, kThree);
  EXPECT_GE(where.base[0], std::uintptr_t{1} << 48) << "user space ends before";
  EXPECT_DEATH(load(where.base[0]), "");
  EXPECT_FALSE(arena().materialise(call, kThree, {std::int64_t{1} << 62}, 1));
}

TEST(Arena, ContentsFollowFromSeedBufferAndOffset) {
  for (const std::int64_t size : {std::int64_t{300}, std::int64_t{8192}}) {
    const TensorSpec first = bytes(0, size), second = bytes(1, size);
    const Call call = call_of({first, second});
    const std::string content = Memory(call).read(first);
    EXPECT_EQ(Memory(call).read(first), content);
    EXPECT_EQ(Memory(call_of({second, first})).read(first), content);
    EXPECT_NE(Memory(call, 2).read(first), content);
    EXPECT_NE(Memory(call).read(second), content);
    TensorSpec tail = bytes(0, size - 16);
    tail.offset = 16;
    EXPECT_EQ(Memory(call_of({tail, second})).read(tail), content.substr(16));
    EXPECT_NE(content, std::string(content.size(), content[0]));
  }
}

TEST(Arena, ThePristineCopyIsTheSame) {
  for (const std::int64_t size : {std::int64_t{300}, std::int64_t{1} << 17}) {
    TensorSpec spec = bytes(0, 100);
    spec.offset = static_cast<std::uint64_t>(size);
    const Memory memory(call_of({spec}));
    ASSERT_TRUE(memory.ok);
    const TensorView twin = view_of(spec, Arena::pristine(memory.where));
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(twin.address), 100), memory.read(spec));
  }
}

TEST(Arena, AChangedByteIsFoundWhereverItLies) {
  for (const std::int64_t stride : {std::int64_t{40}, std::int64_t{1} << 20}) {
    TensorSpec input = strided(0, 3, 8, stride), output = strided(1, 3, 8, stride);
    output.offset = 8;
    const Call call = call_of({input, output});
    const auto base = [&](std::size_t i) { return arena().place(call, kThree).base[i]; };
    const std::uintptr_t in = base(0), out = base(1);
    const std::uintptr_t end = out + 8 + 2 * static_cast<std::uintptr_t>(stride) + 8;
    for (const std::uintptr_t address : {in, in + 7, in + 8, in - 1 + (stride > 64 ? 9 : 0), out,
                                         out + 7, out + 16, end, end + 63}) {
      const Memory memory(call);
      ASSERT_TRUE(memory.ok);
      const TensorView written = view_of(output, memory.where);
      EXPECT_EQ(changed({&written}), "nothing");
      flip(address);
      EXPECT_NE(changed({&written}), "nothing") << stride << ": " << address - out;
    }
  }
}

TEST(Arena, AChangeSaysWhere) {
  const Memory memory(call_of({bytes(0, 16), bytes(5, 24)}));
  flip(memory.where.base[5] + 24);
  EXPECT_EQ(changed().substr(0, 48), "byte 24 of buffer 5 (of 24 bytes) changed from 0");
}

TEST(Arena, WhatAnOutputHoldsMayChange) {
  for (const std::int64_t stride : {std::int64_t{40}, std::int64_t{1} << 20}) {
    const TensorSpec output = strided(1, 3, 8, stride);
    const Memory memory(call_of({bytes(0, 16), output}));
    const TensorView written = view_of(output, memory.where);
    flip(written.address);
    flip(written.end() - 1);
    EXPECT_EQ(changed({&written}), "nothing");
    EXPECT_EQ(changed(), "nothing") << "it is the same from then on";
  }
}

TEST(Arena, AStrideOfGigabytesTakesAFewPages) {
  const Call call = call_of({strided(0, 2, 64, (std::int64_t{1} << 31) + 4096)});
  static_cast<void>(arena().place(call, kThree));
  static_cast<void>(Memory(call).ok);
  const std::int64_t before = resident_pages();
  const Memory memory(call);
  ASSERT_TRUE(memory.ok);
  EXPECT_LT(resident_pages() - before, 1024);  // 4 MiB; ASan's shadow among them
  EXPECT_EQ(changed(), "nothing");
}

struct Refused {
  const char* what;
  Call call;
};

TEST(Arena, WhatCannotBeRunIsRefusedWithNothingDone) {
  TensorSpec null = bytes(1, 8), literal = bytes(1, 8), flawed = bytes(1, 8);
  null.source = DataSource::kNull;
  literal.source = DataSource::kLiteral;
  literal.literal = 0x1000;
  flawed.rank = 9;
  // The descriptor is good, and its offset more than int64 measures.
  TensorSpec far = bytes(1, 8), beside = bytes(0, 8);
  far.offset = std::uint64_t{1} << 63;
  beside.offset = std::uint64_t{1} << 63;
  const Refused refused[] = {
      {"too many elements", call_of({bytes(0, 8), bytes(1, 20'000)})},
      {"too large", call_of({bytes(0, 8), strided(1, 2, 1, Arena::kSlot)})},
      {"too many, wide", call_of({bytes(0, 8), strided(1, 2000, 1, 1 << 21)})},
      {"null", call_of({bytes(0, 8), null})},
      {"literal", call_of({bytes(0, 8), literal})},
      {"flawed", call_of({bytes(0, 8), flawed})},
      {"far", call_of({bytes(0, 8), far})},
      {"far from where another one lies", call_of({bytes(0, 8), beside})}};
  for (const Refused& each : refused) {
    const Placement where = arena().place(each.call, kThree);
    EXPECT_FALSE(arena().materialise(each.call, kThree, {}, 1)) << each.what;
    EXPECT_EQ(emulator::device_of(reinterpret_cast<void*>(where.base[0]), 8), std::nullopt);
    arena().retire();
  }
  EXPECT_TRUE(Memory(call_of({bytes(0, 8)})).ok) << "the next call is not disturbed";
}

// An offset needs no memory where there are no elements, so none is mapped.
TEST(Arena, ACallWithoutElementsComesAndGoes) {
  TensorSpec empty = bytes(0, 0);
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{1} << 20}) {
    empty.offset = offset;
    for (int i = 0; i < 2; ++i) {
      const Memory memory(call_of({empty}));
      EXPECT_TRUE(memory.ok);
      EXPECT_EQ(changed(), "nothing");
    }
  }
}

// Of no two of them, either: what is too large for a slot has no address of its own.
TEST(Arena, EmptyTensorsMayLieAnywhere) {
  TensorSpec first = bytes(0, 0), second = bytes(1, 0);
  first.offset = std::uint64_t{1} << 62;
  second.offset = (std::uint64_t{1} << 63) - 1;
  for (int i = 0; i < 2; ++i) {
    const Memory memory(call_of({first, second, bytes(2, 8)}));
    EXPECT_TRUE(memory.ok);
    EXPECT_EQ(changed(), "nothing");
  }
}

TEST(Arena, MemoryBelongsToTheTensorsDevice) {
  TensorSpec spec = bytes(0, 8);
  spec.device = cuda(3);
  const Memory memory(call_of({spec}));
  EXPECT_EQ(emulator::device_of(reinterpret_cast<void*>(memory.where.base[0]), 8), cuda(3));
}

}  // namespace
}  // namespace prelaunch::fuzz
