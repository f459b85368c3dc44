#include "kernels/common/overlap_rules.h"

#include <gtest/gtest.h>

#include "kernels/common/sample_op.h"
#include "kernels/common/test_views.h"

namespace prelaunch::testing {
namespace {

using sample::Args;
using sample::Op;

// x is read; y and out are written.
Args apart() {
  Args args;
  args.x = at(4096, kFloat32, {4}, {1});
  args.y = at(8192, kFloat32, {4}, {1});
  args.out = at(16384, kFloat32, {4}, {1});
  return args;
}

TEST(OverlapRules, DisjointArgumentsAreFine) {
  EXPECT_EQ(first_written_overlap<Op>(apart()), nullptr);
}

TEST(OverlapRules, EveryPairWithAWrittenTensorIsLookedAt) {
  Args xy = apart(), x_out = apart(), y_out = apart();
  xy.y = at(4096 + 12, kFloat32, {4}, {1});
  x_out.out = at(4096 - 12, kFloat32, {4}, {1});
  y_out.out = at(8192, kFloat32, {1}, {1});
  EXPECT_EQ(first_written_overlap<Op>(xy), &xy.y);
  EXPECT_EQ(first_written_overlap<Op>(x_out), &x_out.out);
  EXPECT_EQ(first_written_overlap<Op>(y_out), &y_out.y) << "the first in field order";
}

TEST(OverlapRules, WhatIsAbsentOrEmptyOverlapsNothing) {
  Args absent = apart(), empty = apart();
  absent.out = {};
  empty.out = at(4096 + 8, kFloat32, {0}, {1});
  EXPECT_EQ(first_written_overlap<Op>(absent), nullptr);
  EXPECT_EQ(first_written_overlap<Op>(empty), nullptr);
}

TEST(OverlapRules, InterleavedTensorsShareNoByte) {
  Args args = apart();
  args.x = at(4096, kFloat32, {4}, {2});
  args.y = at(4096 + 4, kFloat32, {4}, {2});
  EXPECT_EQ(first_written_overlap<Op>(args), nullptr);
  args.y = at(4096 + 8, kFloat32, {4}, {2});
  EXPECT_EQ(first_written_overlap<Op>(args), &args.y);
}

TEST(OverlapRules, ARuleAboutSomeTensorsLooksAtTheirPairsOnly) {
  constexpr TensorSet kX = tensors_named<Op>("x"), kY = tensors_named<Op>("y"),
                      kOut = tensors_named<Op>("out");
  static_assert(kX == 1 && kY == 2 && kOut == 4 && tensors_named<Op>("x", "out") == 5);
  Args x_out = apart(), y_out = apart();
  x_out.out = at(4096 - 12, kFloat32, {4}, {1});
  y_out.out = at(8192, kFloat32, {1}, {1});
  EXPECT_EQ((first_written_overlap<Op, kY, ~kOut>(y_out)), nullptr);
  EXPECT_EQ((first_written_overlap<Op, kY>(y_out)), &y_out.y);
  EXPECT_EQ((first_written_overlap<Op, kOut>(y_out)), &y_out.out) << "also with an earlier one";
  EXPECT_EQ((first_written_overlap<Op, kY>(x_out)), nullptr);
  EXPECT_EQ((first_written_overlap<Op, kOut, kX>(x_out)), &x_out.out);
  EXPECT_EQ((first_written_overlap<Op, kX>(x_out)), nullptr) << "x is not written";
}

}  // namespace
}  // namespace prelaunch::testing
