#include "fuzz/json.h"

#include <gtest/gtest.h>

#include <limits>

#include "fuzz/codec.h"
#include "fuzz/test_calls.h"
#include "kernels/ulysses_pack/cases.h"
#include "kernels/ulysses_pack/contract.h"

namespace prelaunch::fuzz {

// Instead of the build's ops: one more, which has every kind of field.
const OpInfo* find_op(std::string_view name) {
  if (name == sample_op().name) return &sample_op();
  if (name != ulysses_pack::Op::kName) return nullptr;
  return &describe<ulysses_pack::Op, ulysses_pack::Cases>();
}

namespace {

const OpInfo& pack() { return *find_op("ulysses_pack"); }

void expect_kept(const OpInfo& op, const NamedCall& named) {
  const std::string text = format_call(op, named);
  const ParsedCall parsed = parse_call(text);
  ASSERT_EQ(parsed.op, &op);
  ASSERT_EQ(parsed.named.call, meaning(op, named.call)) << text;
  ASSERT_EQ(parsed.named.expect, named.expect) << text;
  ASSERT_EQ(parsed.named.why, named.why) << text;
}

TEST(Json, GeneratedCallsSurviveTheText) {
  Choices choose(1);
  for (int i = 0; i < 20'000 && !HasFatalFailure(); ++i) {
    NamedCall named;
    named.expect = pack().generate(choose, named.call);
    // Two rules share one id: the text names the first.
    if (named.expect.rule != kNoRule) {
      named.expect.rule = rule_index(pack(), full_id(pack(), named.expect.rule));
    }
    canonical(pack(), named.call);
    expect_kept(pack(), named);
  }
}

TEST(Json, HostileCallsSurviveTheText) {
  Choices choose(2);
  for (int i = 0; i < 20'000 && !HasFatalFailure(); ++i) {
    const OpInfo& op = i % 2 == 0 ? pack() : sample_op();
    NamedCall named;
    named.why = i % 3 == 0 ? "" : "quotes \" and \\, lines\nand \xc3\xa9";
    named.call = hostile_call(choose);
    canonical(op, named.call);
    expect_kept(op, named);
  }
}

// The sample op with its `scale` replaced.
Call with_scale(float scale) {
  Call call;
  call.values[2].real = scale;
  return call;
}

TEST(Json, EveryFloatKeepsItsBits) {
  using Limits = std::numeric_limits<float>;
  for (const float value : {0.0f, -0.0f, 0.1f, 3.0f, Limits::max(), Limits::lowest(), Limits::min(),
                            Limits::denorm_min(), Limits::infinity(), -Limits::infinity()}) {
    expect_kept(sample_op(), {"", "", with_scale(value), {}});
  }
  for (const std::uint32_t nan : {0x7fc00000u, 0x7f800001u, 0xffffffffu, 0xffc01234u}) {
    expect_kept(sample_op(), {"", "", with_scale(std::bit_cast<float>(nan)), {}});
  }
}

ParsedCall parse_pack(std::string_view q, std::string_view k, std::string_view v = "null") {
  return parse_call(fmt::format(
      R"({{"op": "ulysses_pack", "args": {{"q": {}, "k": {}, "v": {}, "world_size": 1, "out": null}}}})",
      q, k, v));
}

std::string in_buffer(std::string_view name) {
  return fmt::format(
      R"({{"dtype": "u8", "device": "cuda:0", "shape": [1], "strides": [1], "buffer": "{}"}})",
      name);
}

std::uint8_t buffer(const ParsedCall& parsed, std::size_t field) {
  return parsed.named.call.values[field].tensor.buffer;
}

TEST(Json, TensorsOfOneBufferNameShareMemory) {
  const ParsedCall parsed = parse_pack(in_buffer("pool"), in_buffer("other"), in_buffer("pool"));
  EXPECT_EQ(buffer(parsed, 0), buffer(parsed, 2));
  EXPECT_NE(buffer(parsed, 0), buffer(parsed, 1));
  EXPECT_EQ(buffer(parse_pack(in_buffer("k"), in_buffer("k")), 0), 1);
  EXPECT_EQ(buffer(parse_pack(in_buffer("buffer9"), "null"), 0), 9);
}

TEST(Json, TwoBufferNamesAreNeverOneBuffer) {
  for (const char* number : {"buffer23", "buffer22", "buffer5"}) {
    const ParsedCall after = parse_pack(in_buffer(number), in_buffer("pool"), in_buffer("pond"));
    EXPECT_NE(buffer(after, 0), buffer(after, 1)) << number;
    EXPECT_NE(buffer(after, 0), buffer(after, 2)) << number;
    const ParsedCall before = parse_pack(in_buffer("pool"), in_buffer(number), in_buffer("pond"));
    EXPECT_NE(buffer(before, 1), buffer(before, 0)) << number;
    EXPECT_NE(buffer(before, 1), buffer(before, 2)) << number;
  }
}

TEST(Json, WhatMayBeLeftOutHasADefault) {
  const ParsedCall parsed = parse_pack("null", R"({"dtype": "f32", "device": "cpu", "shape": []})");
  EXPECT_EQ(parsed.named.call.current_device, 0);
  EXPECT_EQ(parsed.named.call.fill, 0u);
  EXPECT_EQ(parsed.named.expect, Expectation{});
  EXPECT_EQ(parsed.named.why, "");
  const TensorSpec& k = parsed.named.call.values[1].tensor;
  EXPECT_TRUE(k.null_strides);
  EXPECT_EQ(k.offset, 0u);
  EXPECT_EQ(k.source, DataSource::kBuffer);
  EXPECT_EQ(k.buffer, 1);
}

}  // namespace
}  // namespace prelaunch::fuzz
