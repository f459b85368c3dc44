// Whatever is wrong with a file is said in one line that names the place.
#include <gtest/gtest.h>

#include <algorithm>

#include "fuzz/json.h"
#include "fuzz/test_calls.h"

namespace prelaunch::fuzz {

namespace {

// An op of as many tensors as there may be: a, b, c, ...
const OpInfo& wide_op() {
  static constexpr std::string_view kNames = "abcdefghijklmnopqrst";
  static constexpr auto kWide = [] {
    std::array<FieldInfo, kMaxFields> out{};
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = {kNames.substr(i, 1), FieldType::kTensor, kRequired};
    }
    return out;
  }();
  static const OpInfo op{"wide", kWide, {}, nullptr, nullptr};
  return op;
}

}  // namespace

// Instead of the build's ops: the one that has every kind of field, and the wide one.
const OpInfo* find_op(std::string_view name) {
  if (name == wide_op().name) return &wide_op();
  return name == sample_op().name ? &sample_op() : nullptr;
}

namespace {

constexpr std::string_view kGood = R"({
  "op": "sample",
  "args": {
    "x": {"dtype": "bf16", "device": "cuda:0", "shape": [4, 2], "strides": [2, 1], "offset": 8, "rank": 2, "buffer": "pool", "fill": {"all": 0.5, "at": {"3": "nan"}}},
    "count": 3,
    "scale": 0.5,
    "flag": true,
    "limit": null,
    "y": {"dtype": {"code": 4, "bits": 16, "lanes": 1}, "device": {"type": 2, "index": 0}, "shape": null, "data": "0x10"},
    "out": null
  },
  "current_device": 1,
  "fill": 7,
  "expect": {"verdict": "reject", "rule": "sample.xy.cuda"},
  "why": "an example"
})";

// kGood with one piece of text replaced, and what the error must say.
struct Malformed {
  std::string_view from, to, error;
};

constexpr auto kMalformed = std::to_array<Malformed>({
    // Each level refuses members that it does not know, and misses those that it needs.
    {R"("op": "sample")", R"("op": "simple")", R"(op: expected the name of an op, got "simple")"},
    {R"("op": "sample",)", "", R"(call: member "op" is missing)"},
    {R"("op": "sample")", R"("op": 5)", "op: expected a string, got 5"},
    {R"("why": "an example")", R"("wry": 1)", R"(call: unknown member "wry")"},
    {R"("why": "an example")", R"("why": null)", "why: expected a string, got null"},
    {R"("count": 3,)", "", R"(args: member "count" is missing)"},
    {R"("count": 3,)", R"("count": 3, "w": 1,)", R"(args: unknown member "w")"},
    {R"("offset")", R"("ofset")", R"(args.x: unknown member "ofset")"},
    {R"("lanes")", R"("lines")", R"(args.y.dtype: unknown member "lines")"},
    {R"("index")", R"("idx")", R"(args.y.device: unknown member "idx")"},
    {R"("reject")", R"("accept")", R"(expect.rule: expected no rule beside "accept")"},
    {R"("rule")", R"("role")", R"(expect: unknown member "role")"},
    {R"("rule": "sample.xy.cuda")", R"("argument": "y")",
     R"(expect.argument: expected no argument without a rule, got "y")"},
    {R"("reject", "rule": "sample.xy.cuda")", R"("accept", "argument": "y")",
     R"(expect.argument: expected no argument beside "accept", got "y")"},
    {R"("sample.xy.cuda")", R"("sample.xy.cuda", "argument": "xy")",
     R"(expect.argument: expected an argument of sample, got "xy")"},
    {R"(, "lanes": 1)", "", R"(args.y.dtype: member "lanes" is missing)"},
    {R"(, "index": 0)", "", R"(args.y.device: member "index" is missing)"},
    {R"("dtype": "bf16", )", "", R"(args.x: member "dtype" is missing)"},
    {R"("device": "cuda:0", )", "", R"(args.x: member "device" is missing)"},
    {R"("shape": null, )", "", R"(args.y: member "shape" is missing)"},
    // Integers.
    {R"("count": 3)", R"("count": "3")", R"(args.count: expected an integer, got "3")"},
    {R"("count": 3)", R"("count": 3.0)", "args.count: expected an integer, got 3.0"},
    {R"("count": 3)", R"("count": null)", "args.count: expected a value, got null"},
    {R"("count": 3)", R"("count": 9223372036854775808)",
     "args.count: expected an integer in [-9223372036854775808, 9223372036854775807], got "
     "9223372036854775808"},
    {R"("count": 3)", R"("count": 18446744073709551616)", "args.count: expected an integer, got"},
    {R"("count": 3)", R"("count": -9223372036854775809)", "args.count: expected an integer, got"},
    {R"("offset": 8)", R"("offset": -1)",
     "args.x.offset: expected an integer in [0, 18446744073709551615], got -1"},
    {R"([4, 2])", R"([4, true])", "args.x.shape[1]: expected an integer, got true"},
    {R"([2, 1])", R"([2, 1.5])", "args.x.strides[1]: expected an integer, got 1.5"},
    {R"("bits": 16)", R"("bits": 256)", "args.y.dtype.bits: expected an integer in [0, 255]"},
    {R"("code": 4)", R"("code": -1)", "args.y.dtype.code: expected an integer in [0, 255]"},
    {R"("lanes": 1)", R"("lanes": 65536)", "args.y.dtype.lanes: expected an integer in [0, 65535]"},
    {R"("type": 2)", R"("type": 2147483648)", "args.y.device.type: expected an integer in [-2147"},
    {R"("rank": 2)", R"("rank": 4294967298)", "args.x.rank: expected an integer in [-2147"},
    {R"("fill": 7)", R"("fill": 4294967296)", "fill: expected an integer in [0, 4294967295]"},
    {R"("current_device": 1)", R"("current_device": -2147483649)",
     "current_device: expected an integer in [-2147483648, 2147483647], got -2147483649"},
    // Other types.
    {R"("scale": 0.5)", R"("scale": true)", "args.scale: expected a number, got true"},
    {R"("scale": 0.5)", R"("scale": null)", "args.scale: expected a value, got null"},
    {R"("scale": 0.5)", R"("scale": "0.5")", "args.scale: expected a hexadecimal number"},
    {R"("scale": 0.5)", R"("scale": "0x17f800000")", "args.scale: expected"},
    {R"("scale": 0.5)", R"("scale": 1e300)", "args.scale: expected"},
    {R"("scale": 0.5)", R"("scale": 1e400)", "1e400"},
    {R"("limit": null)", R"("limit": [])", "args.limit: expected a number, got []"},
    {R"("flag": true)", R"("flag": 1)", "args.flag: expected true or false, got 1"},
    {R"("out": null)", R"("out": 4)", "args.out: expected an object, got 4"},
    {R"([4, 2])", R"(8)", "args.x.shape: expected an array of at most 8 integers, got 8"},
    {R"([4, 2])", R"([1,2,3,4,5,6,7,8,9])", "args.x.shape: expected an array of at most 8 integ"},
    {R"([2, 1])", R"([1])", "args.x.strides: expected as many strides as dimensions, got [1]"},
    {R"({"all": 0.5, "at": {"3": "nan"}})", R"("words")",
     R"(args.x.fill: expected "bytes" or an object, got "words")"},
    {R"("all": 0.5)", R"("all": "big")",
     R"(args.x.fill.all: expected a number, "nan", "inf" or "-inf", got "big")"},
    {R"("all": 0.5)", R"("every": 0.5)", R"(args.x.fill: unknown member "every")"},
    {R"({"3": "nan"})", R"({"-3": 1})",
     R"(args.x.fill.at: expected elements by their number, like {"3": -1}, got {"-3":1})"},
    {R"({"3": "nan"})", R"({"3x": 1})",
     R"(args.x.fill.at: expected elements by their number, like {"3": -1}, got {"3x":1})"},
    {R"({"3": "nan"})", R"({"00000000000000000003": null})",
     "args.x.fill.at: expected elements by their number"},
    {R"({"3": "nan"})", R"({"3": null})",
     R"(args.x.fill.at.3: expected a number, "nan", "inf" or "-inf", got null)"},
    {R"({"3": "nan"})", R"({"1": 0, "2": 0, "3": 0, "4": 0})",
     R"(args.x.fill.at: expected an object of at most 3 elements, got {"1":0,"2":0,"3":0,"4":0})"},
    {R"("bf16")", R"("bf17")", R"(args.x.dtype: expected a dtype like "bf16", got "bf17")"},
    {R"("bf16")", "16", "args.x.dtype: expected an object, got 16"},
    {R"("cuda:0")", R"("cuda")", R"(args.x.device: expected a device like "cuda:0" or "cpu")"},
    {R"("cuda:0")", R"("cuda:4294967296")", "args.x.device: expected a device like"},
    {R"("0x10")", R"("16")", "args.y.data: expected a hexadecimal number as a string"},
    {R"("0x10")", R"("0x")", "args.y.data: expected a hexadecimal number as a string"},
    {R"("0x10")", R"("0x12345678901234567")", "args.y.data: expected a hexadecimal number"},
    {R"("0x10")", R"("0x1g")", "args.y.data: expected a hexadecimal number as a string"},
    {R"("0x10")", "16", "args.y.data: expected a string, got 16"},
    {R"("pool")", "5", "args.x.buffer: expected a string, got 5"},
    {R"("reject")", R"("rejects")", R"(expect.verdict: expected "accept" or "reject")"},
    {R"("verdict": "reject", )", "", R"(expect: member "verdict" is missing)"},
    {R"("sample.xy.cuda")", R"("sample.xy.cud")", "expect.rule: expected a rule of sample"},
    {R"("sample.xy.cuda")", R"("other.xy.cuda")", "expect.rule: expected a rule of sample"},
    // Not JSON: the parser names line and column.
    {R"("why": "an example")", R"("why": "an example)", "parse error at line 16, column "},
    {R"("an example")", "\"\xff\xfe\"", "parse error at line 15, column "},
    {R"("count": 3)", R"("count": NaN)", "parse error at line 5, column "},
    {R"("count": 3)", R"("count": 03)", "parse error at line 5, column "},
});

std::string error_of(std::string_view text) {
  try {
    parse_call(text);
  } catch (const BadCall& error) {
    return error.what();
  }
  return "none";
}

void expect_one_line(const std::string& error) {
  const auto plain = [](char c) { return c >= ' ' && c <= '~'; };
  EXPECT_TRUE(std::all_of(error.begin(), error.end(), plain)) << error;
  EXPECT_LT(error.size(), 400u) << error;
}

TEST(MalformedJson, EachMistakeIsNamedWithItsPlace) {
  ASSERT_EQ(error_of(kGood), "none");
  for (const Malformed& each : kMalformed) {
    std::string text(kGood);
    const auto at = text.find(each.from);
    ASSERT_NE(at, text.npos) << each.from;
    const std::string error = error_of(text.replace(at, each.from.size(), each.to));
    EXPECT_NE(error.find(each.error), error.npos)
        << each.to << "\n  gave   " << error << "\n  wanted " << each.error;
    expect_one_line(error);
  }
}

// A terminal would obey some of it, and turn the line around.
TEST(MalformedJson, AnErrorQuotesWhatItQuotesInAShortPlainLine) {
  const std::string accents = "\u00e9\u202e\u009b[2J\x7f";
  const std::string large(1'000, 'x');
  for (const std::string& text :
       {accents, accents + '\xff', large, large + accents, large + '\xff', large + '\n'}) {
    for (const std::string_view member : {"{}", "\"op\": {}", "\"op\": [{}]", "{}: 1"}) {
      std::string whole(member);
      whole.replace(whole.find("{}"), 2, "\"" + text + "\"");
      expect_one_line(error_of("{" + whole + "}"));
    }
    expect_one_line(error_of(text));
  }
  EXPECT_EQ(error_of("{\"op\": \"\u202e\"}"), "op: expected the name of an op, got \"\\u202e\"");
}

TEST(MalformedJson, EveryBeginningOfAFileIsRefused) {
  for (std::size_t size = 0; size < kGood.size(); ++size) {
    const std::string error = error_of(kGood.substr(0, size));
    ASSERT_NE(error.find("parse error"), error.npos) << size;
    expect_one_line(error);
  }
}

TEST(MalformedJson, WhatIsNoObjectIsRefused) {
  for (const char* text : {"[]", "5", "null", "\"op\"", "true"}) {
    EXPECT_EQ(error_of(text), fmt::format("call: expected an object, got {}", text));
  }
}

TEST(MalformedJson, AFileOfMoreThanOneMebibyteIsRefusedUnread) {
  const std::string text(kMaxCallBytes + 1, '[');
  EXPECT_EQ(error_of(text), "call: expected at most 1048576 bytes, got 1048577");
}

TEST(MalformedJson, DeepNestingIsRefused) {
  constexpr std::size_t kDepth = 100'000;
  const std::string deep = std::string(kDepth, '[') + std::string(kDepth, ']');
  expect_one_line(error_of(deep));
  EXPECT_NE(error_of(deep), "none");
  std::string text(kGood);
  const std::string error = error_of(text.replace(text.find("\"fill\": 7") + 8, 1, deep));
  EXPECT_NE(error, "none");
  expect_one_line(error);
}

// Twenty tensors in memory of twenty names, none of them a field's.
TEST(MalformedJson, MoreBuffersThanThereAreIsRefused) {
  std::string args;
  for (const FieldInfo& field : wide_op().fields) {
    args +=
        fmt::format(R"({}"{}": {{"dtype": "u8", "device": "cpu", "shape": [], "buffer": "of {}"}})",
                    args.empty() ? "" : ", ", field.name, field.name);
  }
  EXPECT_EQ(error_of(fmt::format(R"({{"op": "wide", "args": {{{}}}}})", args)),
            "args.e.buffer: expected a name of fewer buffers, got \"of e\"");
}

TEST(MalformedJson, MutatedTextIsAnErrorOrACall) {
  Choices choose(std::uint64_t{5});
  for (int i = 0; i < 5'000; ++i) {
    std::string text(kGood);
    for (std::uint64_t edits = 1 + choose.below(3); edits-- > 0;) {
      char& at = text[choose.below(text.size())];
      at = choose.one_in(2) ? static_cast<char>(choose.below(256)) : choose.of("{}[]\",:0-e");
    }
    expect_one_line(error_of(text));
  }
}

}  // namespace
}  // namespace prelaunch::fuzz
