// What a rejected call tells its caller.
#include "kernels/common/explain.h"

#include <gtest/gtest.h>

#include <limits>

#include "kernels/common/check.h"
#include "kernels/common/sample_op.h"
#include "kernels/common/test_views.h"

namespace prelaunch::testing {
namespace {

using sample::Args;
using sample::Op;

Args good() {
  Args args;
  args.x = at(4096, kFloat32, {4}, {1});
  args.y = at(8192, kBfloat16, {4}, {1});
  args.out = at(16384, kFloat32, {1, 4}, {5, 1});
  return args;
}

// A text rendered for a rule about `argument`, blaming `blamed` where it is not null.
Explanation explained(std::string_view text, const Args& args, std::string_view argument = "out",
                      const TensorView* blamed = nullptr) {
  return explain(Op::kName, {argument, "property", text}, arguments_of<Op>(args), {}, blamed);
}

std::string rendered(std::string_view text, const Args& args) {
  return explained(text, args).message;
}

Explanation rejection(const Args& args) {
  const Check<Op> checked = check<Op>(args);
  return checked ? Explanation{} : explain(checked);
}

TEST(Explain, APropertyOfANamedTensorIsRendered) {
  const Args args = good();
  EXPECT_EQ(rendered("{out.shape} {out.strides} {out.rank}", args), "(1, 4) (5, 1) 2");
  EXPECT_EQ(rendered("{y.dtype} {y.device} {y.address}", args), "torch.bfloat16 cuda:0 0x2000");
  EXPECT_EQ(rendered("{out.shape[0]}/{out.shape[1]}", args), "1/4");
  EXPECT_EQ(rendered("{x}, not {y}", args), "x, not y");
}

TEST(Explain, ADimensionThatIsNotThereIsNone) {
  const Args args = good();
  for (const char* text : {"{x.shape[1]}", "{x.shape[-1]}", "{x.shape[]}", "{x.shape[0}",
                           "{x.shape[99999999999]}", "{x.shape[a]}"}) {
    EXPECT_EQ(rendered(text, args), "<none>") << text;
  }
}

TEST(Explain, AScalarIsRenderedByItsName) {
  Args args = good();
  args.count = kMinInt64;
  args.scale = 0.5f;
  args.limit = 2.25f;
  EXPECT_EQ(rendered("{count} {scale} {flag} {limit}", args),
            "-9223372036854775808 0.5 False 2.25");
  args.flag = true;
  args.limit.reset();
  EXPECT_EQ(rendered("{flag} {limit}", args), "True None");
}

TEST(Explain, APropertyAloneIsThatOfTheOneToBlame) {
  const Args args = good();
  EXPECT_EQ(explained("{argument} {dtype} {shape}", args, "y").message, "y torch.bfloat16 (4,)");
  EXPECT_EQ(explained("{argument} {dtype} {shape[0]}", args, "xy", &args.x).message,
            "x torch.float32 4");
}

TEST(Explain, ShapesPrintAsTuples) {
  Args args = good();
  args.x = look({5});
  args.y = look({});
  args.out = look({2, 0, 3});
  EXPECT_EQ(rendered("{x.shape} {y.shape} {out.shape}", args), "(5,) () (2, 0, 3)");
}

TEST(Explain, AnAbsentArgumentIsNone) {
  Args args = good();
  args.out = {};
  EXPECT_EQ(rendered("{out.shape} {out.dtype} {out.device} {out.shape[0]} {shape}", args),
            "None None None None None");
}

TEST(Explain, PresenceSaysWhatWasGiven) {
  Args args = good();
  args.x = {};
  EXPECT_EQ(rejection(args).message, "x must be a tensor with a shape, got None");
  Descriptor from = kGood;
  from.rank = 2;
  args.x = TensorView::from(from, kDevices);
  EXPECT_EQ(rejection(args).message, "x must be a tensor with a shape, got a null shape");
}

TEST(Explain, AHostileRankMakesShapesUnreadable) {
  using Limits = std::numeric_limits<std::int32_t>;
  const std::int64_t dims[] = {1};
  for (const std::int32_t rank : {-1, 9, Limits::min(), Limits::max()}) {
    Descriptor from = kGood;
    from.rank = rank;
    from.shape = from.strides = dims;
    Args args = good();
    args.x = TensorView::from(from, kDevices);
    const Explanation out = rejection(args);
    EXPECT_EQ(out.rule, "sample.x.rank");
    EXPECT_EQ(out.message, "x must have 0 to 8 dimensions, got " + std::to_string(rank));
    EXPECT_TRUE(out.arguments.starts_with("x=(shape=<unreadable>, strides=<unreadable>, dtype="));
    EXPECT_EQ(rendered("{x.shape} {x.shape[0]}", args), "<unreadable> <none>");
  }
}

TEST(Explain, AFlawedTensorIsShownAsItWasGiven) {
  Args args = good();
  args.x = at(4096, {static_cast<DtypeCode>(77), 4, 0}, {-1, 5}, {3, -2});
  EXPECT_EQ(rejection(args).message,
            "x must have a dtype of 8, 16, 32, 64 or 128 bits in one lane, got "
            "dlpack(code=77, bits=4, lanes=0)");
  EXPECT_TRUE(rejection(args).arguments.starts_with("x=(shape=(-1, 5), strides=(3, -2), dtype="));
  args.x = at(4096, kFloat32, {7, -1, 5}, {1, 1, 1});
  EXPECT_EQ(rejection(args).message, "x must have no negative dimension, got shape=(7, -1, 5)");
}

TEST(Explain, ARuleOverAGroupBlamesItsFirstOffenderInFieldOrder) {
  Args args = good();
  args.y.device = {DeviceType::kRocm, 3};
  Explanation out = rejection(args);
  EXPECT_EQ(out.rule, "sample.xy.cuda");
  EXPECT_EQ(out.argument, "y");
  EXPECT_EQ(out.message, "x and y must be CUDA tensors, got rocm:3");
  args.x.device = kCpuDevice;
  out = rejection(args);
  EXPECT_EQ(out.argument, "x");
  EXPECT_EQ(out.message, "x and y must be CUDA tensors, got cpu");
}

TEST(Explain, ARuleAboutAScalarNamesIt) {
  Args args = good();
  args.count = -3;
  const Explanation out = rejection(args);
  EXPECT_EQ(out.rule, "sample.count.positive");
  EXPECT_EQ(out.argument, "count");
  EXPECT_EQ(out.message, "count must be positive, got -3");
}

TEST(Explain, TheArgumentsLineHasEveryArgument) {
  Args args = good();
  args.count = 0;
  args.out = {};
  EXPECT_EQ(rejection(args).arguments,
            "x=(shape=(4,), strides=(1,), dtype=torch.float32, device=cuda:0), "
            "count=0, scale=1, flag=False, limit=None, "
            "y=(shape=(4,), strides=(1,), dtype=torch.bfloat16, device=cuda:0), out=None");
}

TEST(Explain, EveryMessageIsOneLine) {
  for (const auto& rule : kRules<Op>) {
    const std::string message = rendered(rule.text, good());
    EXPECT_EQ(message.find('\n'), message.npos);
    EXPECT_EQ(message.find('{'), message.npos) << "not rendered: " << message;
  }
}

TEST(Explain, AQuantityIsANumberOrAShape) {
  EXPECT_EQ(quantity_text(number(-5)), "-5");
  EXPECT_EQ(quantity_text(product({6, 7})), "42");
  EXPECT_EQ(quantity_text(product({kMaxInt64, 2})), "a number that 64 bits cannot hold");
  EXPECT_EQ(quantity_text(shape({5})), "(5,)");
  EXPECT_EQ(quantity_text(shape({2, 3})), "(2, 3)");
}

TEST(Explain, ADerivedQuantityIsRenderedByItsName) {
  const std::vector<NamedText> derived = {{"expected_rows", "12"}};
  const Args args = good();
  EXPECT_EQ(explain(Op::kName, {"out", "rows", "expected {expected_rows}, got {shape}"},
                    arguments_of<Op>(args), derived, nullptr)
                .message,
            "expected 12, got (1, 4)");
}

TEST(Explain, AnUnknownPropertyStaysVisible) {
  EXPECT_EQ(rendered("got {x.colour}", good()), "got {colour}");
  EXPECT_EQ(rendered("got {colour}", good()), "got {colour}");
}

}  // namespace
}  // namespace prelaunch::testing
