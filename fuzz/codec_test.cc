#include "fuzz/codec.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "fuzz/json.h"
#include "fuzz/test_calls.h"

namespace {
std::atomic<std::uint64_t> g_allocations = 0;
}

// Counts for one test; what it returns is malloc's.
void* operator new(std::size_t bytes) {
  ++g_allocations;
  if (void* memory = std::malloc(bytes != 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace prelaunch::fuzz {
namespace {

const OpInfo& pack() { return *find_op("ulysses_pack"); }

std::vector<std::uint8_t> random_bytes(Choices& choose) {
  std::vector<std::uint8_t> bytes(choose.below(201));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(choose.below(256));
  return bytes;
}

Call decoded(const OpInfo& op, std::span<const std::uint8_t> bytes) {
  Call call;
  decode(op, bytes, call);
  return call;
}

std::string text(const OpInfo& op, Call call, Expectation expect = {}) {
  canonical(op, call);
  return format_call(op, {"", "", call, expect});
}

void expect_kept(const OpInfo& op, const Call& call) {
  const Call kept = meaning(op, call);
  ASSERT_EQ(decoded(op, encode(op, call)), kept) << text(op, call);
  Call clean = call;
  canonical(op, clean);
  ASSERT_EQ(clean, kept) << text(op, call);
}

TEST(Codec, GeneratedCallsSurviveTheByteForm) {
  Choices choose(1);
  for (int i = 0; i < 20'000 && !HasFatalFailure(); ++i) {
    Call call;
    pack().generate(choose, call);
    expect_kept(pack(), call);
  }
}

TEST(Codec, HostileCallsSurviveTheByteForm) {
  Choices choose(2);
  for (int i = 0; i < 20'000 && !HasFatalFailure(); ++i) {
    expect_kept(i % 2 == 0 ? pack() : sample_op(), hostile_call(choose));
  }
}

TEST(Codec, AnyBytesAreACallThatTheExplicitFormKeeps) {
  Choices choose(3);
  Call calls[2];
  for (int i = 0; i < 100'000 && !HasFatalFailure(); ++i) {
    const OpInfo& op = i % 2 == 0 ? pack() : sample_op();
    const std::vector<std::uint8_t> bytes = random_bytes(choose);
    Call& call = calls[i % 2];
    decode(op, bytes, call);
    ASSERT_EQ(call, decoded(op, bytes)) << "what the call held before shows through";
    ASSERT_EQ(decoded(op, encode(op, call)), meaning(op, call));
  }
}

TEST(Codec, TheExplicitFormFillsNoMoreThanItsRoom) {
  Choices choose(5);
  std::array<std::uint8_t, kMaxExplicitBytes> room;
  for (int i = 0; i < 2'000; ++i) {
    const Call call = hostile_call(choose);
    const std::vector<std::uint8_t> bytes = encode(sample_op(), call);
    const std::size_t size = bytes.size();
    room.fill(0xaa);
    ASSERT_EQ(encode(sample_op(), call, std::span(room).first(size - 1)), 0u);
    ASSERT_EQ(room[size - 1], 0xaa);
    ASSERT_EQ(encode(sample_op(), call, std::span(room).first(size)), size);
    ASSERT_TRUE(std::equal(bytes.begin(), bytes.end(), room.begin()));
    ASSERT_EQ(room[size], 0xaa);
  }
}

// Every number is as long as it can be, in as many tensors as there can be.
TEST(Codec, NoExplicitFormIsLongerThanItsBound) {
  Call call;
  call.current_device = std::numeric_limits<std::int32_t>::min();
  call.fill = ~0u;
  TensorSpec t;
  t.dtype.lanes = 65535;
  t.device = {static_cast<DeviceType>(call.current_device), call.current_device};
  t.source = DataSource::kLiteral;
  t.offset = t.literal = ~std::uint64_t{0};
  t.fill = {.kind = Fill::Kind::kNumber, .count = Fill::kMaxAt, .number = -1e300, .at = {}};
  t.fill.at.fill({std::numeric_limits<std::int64_t>::max(), -1e300});
  t.rank = kMaxRank;
  t.shape.fill(std::numeric_limits<std::int64_t>::min());
  t.strides = t.shape;
  std::array<FieldInfo, kMaxFields> fields;
  fields.fill({"t", FieldType::kTensor, kRequired});
  for (Value& value : call.values) value.tensor = t;
  const OpInfo op{
      .name = "longest", .fields = fields, .rules = {}, .judge = nullptr, .generate = nullptr};
  std::array<std::uint8_t, kMaxExplicitBytes> room;
  EXPECT_GT(encode(op, call, room), kMaxExplicitBytes * 8 / 10);
}

TEST(Codec, BytesThatAreMissingReadAsZeroAndThoseLeftOverAreIgnored) {
  const std::vector<std::uint8_t> whole = encode(sample_op(), Call{});
  std::vector<std::uint8_t> longer = whole;
  longer.insert(longer.end(), 50, 0xff);
  EXPECT_EQ(decoded(sample_op(), longer), decoded(sample_op(), whole));
  EXPECT_EQ(decoded(sample_op(), {}), decoded(sample_op(), std::vector<std::uint8_t>(200, 0)));
}

TEST(Codec, ExplicitBytesKnowNoVerdict) {
  Call call;
  EXPECT_EQ(decode(pack(), std::vector<std::uint8_t>{0, 2, 4}, call), Expectation{});
}

TEST(Codec, DecodingTouchesNoHeap) {
  Choices choose(4);
  std::vector<std::vector<std::uint8_t>> inputs;
  for (int i = 0; i < 2'000; ++i) inputs.push_back(random_bytes(choose));
  static Call call;
  const OpInfo& op = pack();
  const std::uint64_t before = g_allocations;
  for (const auto& bytes : inputs) decode(op, bytes, call);
  EXPECT_EQ(g_allocations, before);
  EXPECT_GT(before, 0u);
}

// Fixed bytes, and the call that they are on every machine.
TEST(Codec, ExplicitBytesAreTheSameCallEverywhere) {
  // One line of bytes a field.
  // clang-format off
  const std::vector<std::uint8_t> bytes = {
      0, 2, 0xac, 0x02,
      0, 4, 16, 1, 4, 0, 0, 0, 6, 8, 0x80, 0x02, 16, 32, 32, 2,
      4, 4, 16, 1, 4, 2, 0, 0x80, 1, 6, 8, 16, 32,
      2, 2, 32, 1, 2, 0, 1, 0, 4, 2, 4,
      7,
      8, 0xff, 3, 2, 1, 1, 0xff, 0x01, 17};
  // clang-format on
  EXPECT_EQ(text(pack(), decoded(pack(), bytes)), R"({
  "op": "ulysses_pack",
  "args": {
    "q": {"dtype": "bf16", "device": "cuda:0", "shape": [4, 8, 16], "strides": [128, 16, 1]},
    "k": {"dtype": "bf16", "device": "cuda:1", "shape": [4, 8, 16], "offset": 128, "buffer": "q"},
    "v": {"dtype": "f32", "device": "cpu", "shape": null, "strides": [1, 2], "rank": 2, "buffer": "k"},
    "world_size": -4,
    "out": {"dtype": {"code": 255, "bits": 3, "lanes": 2}, "device": {"type": -1, "index": -1}, "shape": [], "strides": [], "rank": -9, "offset": 255, "data": "null"}
  },
  "current_device": 1,
  "fill": 300
}
)");
}

TEST(Codec, GeneratedBytesAreTheSameCallEverywhere) {
  Call call;
  const std::vector<std::uint8_t> bytes = {1, 1,                             // a violation of
                                           3, 5, 2, 7, 1, 4, 1, 1, 0, 0, 1,  // a valid call, where
                                           1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1,  // k holds a 0:
                                           1, 0, 1, 9, 1};                      // q.device_index
  const Expectation expect = decode(pack(), bytes, call);
  EXPECT_EQ(text(pack(), call, expect), R"({
  "op": "ulysses_pack",
  "args": {
    "q": {"dtype": "u8", "device": "cuda:64", "shape": [5, 8, 2], "strides": [48, 2, 1]},
    "k": {"dtype": "u8", "device": "cuda:1", "shape": [5, 8, 2], "strides": [48, 2, 1], "offset": 16, "buffer": "q", "fill": {"at": {"1": 0}}},
    "v": {"dtype": "u8", "device": "cuda:1", "shape": [5, 8, 2], "strides": [48, 2, 1], "offset": 32, "buffer": "q"},
    "world_size": 4,
    "out": {"dtype": "u8", "device": "cuda:1", "shape": [4, 5, 2, 6], "strides": [60, 12, 6, 1]}
  },
  "current_device": 0,
  "fill": 0,
  "expect": {"verdict": "reject", "rule": "ulysses_pack.q.device_index"}
}
)");
}

TEST(Codec, ChoicesComeFromTheBytesAndThenFromAGeneratorSeededByThem) {
  const std::vector<std::uint8_t> bytes = {200, 3, 0x12, 0x34};
  Choices choose(bytes);
  EXPECT_EQ(choose.below(256), 200u);
  EXPECT_EQ(choose.below(2), 1u);
  EXPECT_EQ(choose.below(65536), 0x1234u);
  const std::uint64_t next = choose.below(0);
  for (const std::uint64_t seed : {0u, 1u}) {
    Choices again(bytes, seed);
    static_cast<void>(again.below(0x1'0000'0000u));
    EXPECT_EQ(again.below(0) == next, seed == 0);
  }
  Choices other(std::uint64_t{0});
  EXPECT_NE(other.below(0), next);
}

}  // namespace
}  // namespace prelaunch::fuzz
