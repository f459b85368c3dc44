// What holds of every generic edit, and that each is reached.
#include "fuzz/edit.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "fuzz/test_calls.h"

namespace prelaunch::fuzz {
namespace {

constexpr FieldType kTypes[] = {FieldType::kTensor, FieldType::kInteger, FieldType::kReal,
                                FieldType::kBoolean, FieldType::kOptionalReal};

const OpInfo& pack() { return *find_op("ulysses_pack"); }

Call generated(const OpInfo& op, Choices& choose) {
  Call call;
  op.generate(choose, call);
  return call;
}

std::string id(FieldType type, const Edit& edit) {
  return std::to_string(static_cast<int>(type)).append(" ").append(edit.name);
}

// Tries every edit on every field of some of the op's calls, good and hostile; notes which applied.
void try_all(const OpInfo& op, int calls, std::set<std::string>& applied) {
  Choices choose(1);
  for (int i = 0; i < calls; ++i) {
    const Call call = generated(op, choose);
    for (std::size_t field = 0; field < op.fields.size(); ++field) {
      for (const Edit& edit : edits_of(op.fields[field].type)) {
        Call edited = call;
        const bool changed = apply_edit(edit, op.fields, edited, field, choose);
        ASSERT_EQ(changed, edited != call) << edit.name;
        if (changed) applied.insert(id(op.fields[field].type, edit));
        edited.values[field] = call.values[field];
        ASSERT_EQ(edited, call) << edit.name << " changed more than its field";
      }
    }
  }
}

TEST(Edit, ChangesOneFieldOrNothingOfAnyCall) {
  std::set<std::string> applied;
  for (const OpInfo* op : all_ops()) try_all(*op, 500, applied);
  try_all(sample_op(), 2'000, applied);
}

TEST(Edit, EachAppliesToSomeCallOfAnOp) {
  std::set<std::string> applied;
  for (const OpInfo* op : all_ops()) try_all(*op, 500, applied);
  for (const FieldType type : kTypes) {
    for (const Edit& edit : edits_of(type))
      EXPECT_TRUE(applied.contains(id(type, edit))) << edit.name;
  }
}

TEST(Edit, NamesAreUniqueInTheirTable) {
  for (const FieldType type : kTypes) {
    std::set<std::string_view> names;
    for (const Edit& edit : edits_of(type))
      EXPECT_TRUE(names.insert(edit.name).second) << edit.name;
    EXPECT_FALSE(names.empty());
  }
}

TEST(Edit, OneEditChangesEveryGeneratedCall) {
  Choices choose(2);
  for (const OpInfo* op : all_ops()) {
    for (int i = 0; i < 5'000; ++i) {
      const Call call = generated(*op, choose);
      Call edited = call;
      ASSERT_TRUE(edit_once(op->fields, edited, choose));
      ASSERT_NE(edited, call);
    }
  }
}

TEST(Edit, TheSameSeedGivesTheSameCall) {
  for (std::uint64_t seed = 0; seed < 5'000; ++seed) {
    Choices draw(seed), first(seed), second(seed);
    const Call call = hostile_call(draw);
    Call a = call, b = call;
    ASSERT_EQ(edit_once(sample_op().fields, a, first), edit_once(sample_op().fields, b, second));
    ASSERT_EQ(a, b);
  }
}

TEST(Edit, AnOpWithoutFieldsHasNothingToEdit) {
  Choices choose(3);
  Call call;
  EXPECT_FALSE(edit_once({}, call, choose));
}

// The sizes at which an int32, an int64 and what converts between them change.
TEST(Edit, DimsAndIntegersReachTheirLimits) {
  Choices choose(4);
  std::set<std::int64_t> dims, integers;
  const std::size_t world_size = 3;
  for (int i = 0; i < 20'000; ++i) {
    Call call = generated(pack(), choose);
    edit_once(pack().fields, call, choose);
    dims.insert(call.values[0].tensor.shape[0]);
    integers.insert(call.values[world_size].integer);
  }
  for (const std::int64_t limit :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 31, std::int64_t{1} << 32,
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_TRUE(dims.contains(limit)) << limit;
    EXPECT_TRUE(integers.contains(limit)) << limit;
  }
}

TEST(Edit, AnAbsentTensorComesBackInItsOwnBuffer) {
  Choices choose(5);
  const std::size_t out = 4;
  const auto edits = edits_of(FieldType::kTensor);
  int like_others = 0;
  for (int i = 0; i < 200; ++i) {
    Call call = generated(pack(), choose);
    call.values[out] = Value{};
    call.values[out].absent = true;
    ASSERT_EQ(edits.back().name, "presence");
    ASSERT_TRUE(apply_edit(edits.back(), pack().fields, call, out, choose));
    ASSERT_FALSE(call.values[out].absent);
    if (call.values[out].tensor == TensorSpec{}) continue;
    ASSERT_EQ(call.values[out].tensor.buffer, out);
    ++like_others;
  }
  EXPECT_GT(like_others, 50);
}

}  // namespace
}  // namespace prelaunch::fuzz
