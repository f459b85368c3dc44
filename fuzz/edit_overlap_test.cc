// Which bytes two tensors share after an edit that places one by the other: counted, not solved.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fuzz/edit_tensor.h"

namespace prelaunch::fuzz {
namespace {

constexpr FieldInfo kFields[] = {{"a", FieldType::kTensor, kRequired},
                                 {"b", FieldType::kTensor, kRequired}};
using Place = bool (*)(Fields, Call&, std::size_t, Choices&);

// All bytes of a small tensor, from its buffer's start.
std::set<std::int64_t> bytes_of(const TensorSpec& t) {
  TensorSpec given = t;
  if (given.null_strides) give_compact_strides(given);
  std::set<std::int64_t> starts = {static_cast<std::int64_t>(t.offset)}, bytes;
  for (std::size_t d = 0; d < dims_of(given); ++d) {
    std::set<std::int64_t> next;
    for (const std::int64_t start : starts) {
      for (std::int64_t i = 0; i < given.shape[d]; ++i) {
        next.insert(start + i * given.strides[d] * t.dtype.bytes());
      }
    }
    starts = next;
  }
  for (const std::int64_t start : starts) {
    for (std::int64_t i = 0; i < t.dtype.bytes(); ++i) bytes.insert(start + i);
  }
  return bytes;
}

std::size_t shared_bytes(const TensorSpec& a, const TensorSpec& b) {
  std::size_t count = 0;
  const std::set<std::int64_t> of_b = bytes_of(b);
  for (const std::int64_t byte : bytes_of(a)) count += of_b.contains(byte);
  return count;
}

// Rows with and without room between them.
TensorSpec small_tensor(std::uint8_t buffer, Choices& choose) {
  TensorSpec t = compact(choose.of({kUInt8, kBfloat16, kFloat32, kFloat64}), cuda(0), buffer,
                         {choose.between(1, 4), choose.between(1, 4), choose.between(1, 4)});
  if (choose.one_in(4)) t.null_strides = true;
  if (t.null_strides) t.strides = {};
  if (!t.null_strides && choose.one_in(2)) t.strides[0] += choose.between(0, 40);
  if (!t.null_strides && choose.one_in(4)) t.strides[1] += choose.between(0, 8);
  t.offset = static_cast<std::uint64_t>(t.dtype.bytes() * choose.between(0, 20));
  return t;
}

// Places b by a in many calls; returns how often it was placed. Calls visit(a, b).
template <class Visit>
int place_many(Place place, Visit visit) {
  Choices choose(1);
  int placed = 0;
  for (int i = 0; i < 20'000; ++i) {
    Call call;
    call.values[0].tensor = small_tensor(0, choose);
    call.values[1].tensor = small_tensor(1, choose);
    const TensorSpec a = call.values[0].tensor;
    if (!place(kFields, call, 1, choose)) continue;
    EXPECT_EQ(call.values[0].tensor, a);
    EXPECT_EQ(call.values[1].tensor.buffer, 0);
    visit(a, call.values[1].tensor);
    ++placed;
  }
  return placed;
}

bool is_aligned(const TensorSpec& t) {
  return t.offset % static_cast<std::uint64_t>(t.dtype.bytes()) == 0;
}

std::int64_t first_byte(const TensorSpec& t) { return *bytes_of(t).begin(); }
std::int64_t last_byte(const TensorSpec& t) { return *bytes_of(t).rbegin(); }

TEST(Overlap, WholeStartsWhereTheOtherDoes) {
  const int placed = place_many(overlap_whole, [](const TensorSpec& a, const TensorSpec& b) {
    EXPECT_EQ(a.offset, b.offset);
    EXPECT_GT(shared_bytes(a, b), 0u);
  });
  EXPECT_GT(placed, 5'000);
}

TEST(Overlap, PartsCrossAndAreNoWholes) {
  int shared = 0;
  const int placed = place_many(overlap_part, [&shared](const TensorSpec& a, const TensorSpec& b) {
    EXPECT_NE(a.offset, b.offset);
    EXPECT_LE(first_byte(b), last_byte(a));
    EXPECT_GE(last_byte(b), first_byte(a));
    shared += shared_bytes(a, b) > 0;
  });
  EXPECT_GT(placed, 5'000);
  EXPECT_GT(shared, placed / 2);
}

TEST(Overlap, OneByteIsOneByte) {
  const int placed = place_many(overlap_one_byte, [](const TensorSpec& a, const TensorSpec& b) {
    EXPECT_EQ(shared_bytes(a, b), 1u);
  });
  EXPECT_GT(placed, 5'000);
}

TEST(Overlap, InterleavedTensorsCrossAndShareNoByte) {
  int between = 0;
  const int placed = place_many(interleave, [&](const TensorSpec& a, const TensorSpec& b) {
    ASSERT_EQ(shared_bytes(a, b), 0u) << a.offset << " " << b.offset;
    EXPECT_LT(first_byte(b), last_byte(a));
    EXPECT_LT(first_byte(a), first_byte(b));
    EXPECT_TRUE(is_aligned(b));
    between += dims_of(b) > 0 && b.shape[0] > 1;
  });
  EXPECT_GT(placed, 500);
  EXPECT_GT(between, 100) << "several rows in several gaps";
}

TEST(Overlap, AdjoiningTensorsMeetAndShareNoByte) {
  const int placed = place_many(adjoin, [](const TensorSpec& a, const TensorSpec& b) {
    EXPECT_GT(first_byte(b), last_byte(a));
    EXPECT_LE(first_byte(b), last_byte(a) + b.dtype.bytes());
    EXPECT_TRUE(is_aligned(b));
  });
  EXPECT_GT(placed, 5'000);
}

}  // namespace
}  // namespace prelaunch::fuzz
