// The field list, and what walks it.
#include "kernels/common/field.h"

#include <gtest/gtest.h>

#include <string>

#include "kernels/common/sample_op.h"
#include "kernels/common/status.h"
#include "kernels/common/test_views.h"

namespace prelaunch::testing {
namespace {

using sample::Args;
using sample::Op;
constexpr auto& kFields = Op::kFields;

TEST(Field, OutputsAndInPlaceTensorsAreWritten) {
  static_assert(!kFields[0].written() && kFields[5].written() && kFields[6].written());
  static_assert(!kFields[1].written());
}

TEST(Field, AFieldIsRequiredUnlessItSaysOtherwise) {
  static_assert(kFields[0].presence == kRequired && kFields[6].presence == kOptional);
  static_assert(kFields[2].presence == kRequired && kFields[4].presence == kOptional);
}

TEST(Field, OnlyATensorHasAView) {
  const Args args;
  for (const auto& field : kFields) EXPECT_EQ(field.tensor(args) != nullptr, field.is_tensor());
  EXPECT_EQ(kFields[0].tensor(args), &args.x);
  EXPECT_EQ(kFields[6].tensor(args), &args.out);
  static_assert(kFields[1].role == Role::kScalar && !kFields[1].is_tensor());
}

TEST(Field, TensorsAreVisitedInFieldOrder) {
  Args args;
  std::string names;
  for_each_tensor<Op>(args, [&names](const auto& field, TensorView& view) {
    names += field.name;
    view.rank = 3;
  });
  EXPECT_EQ(names, "xyout");
  EXPECT_EQ(args.x.rank + args.y.rank + args.out.rank, 9);
  const Args& fixed = args;
  int visits = 0;
  for_each_tensor<Op>(fixed, [&visits](const auto&, const TensorView&) { ++visits; });
  EXPECT_EQ(visits, 3);
}

TEST(Status, AFailureNamesTheOpTheStepAndTheError) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().message(), "");
  const Status status = Status::failure("pack", "launch", "cudaErrorInvalidValue (invalid)");
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.message(), "pack: launch failed: cudaErrorInvalidValue (invalid)");
}

}  // namespace
}  // namespace prelaunch::testing
