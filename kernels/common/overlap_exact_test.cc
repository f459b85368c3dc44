// The overlap solver against brute force: sets of byte addresses.
#include <gtest/gtest.h>

#include <array>
#include <bitset>

#include "kernels/common/choices.h"
#include "kernels/common/overlap.h"
#include "kernels/common/test_views.h"

namespace prelaunch::testing {
namespace {

constexpr std::uintptr_t kBase = 4096;
constexpr std::size_t kSpan = 1 << 17;
using Bytes = std::bitset<kSpan>;

// Marks the bytes of every element. Returns true when one was marked before.
bool mark(const TensorView& view, Bytes& bytes, std::size_t dim, std::uintptr_t address) {
  bool again = false;
  if (dim < static_cast<std::size_t>(view.rank)) {
    for (std::int64_t i = 0; i < view.shape[dim]; ++i) {
      const auto step = static_cast<std::uintptr_t>(i * view.strides[dim] * view.dtype.bytes());
      again |= mark(view, bytes, dim + 1, address + step);
    }
    return again;
  }
  for (std::int64_t byte = 0; byte < view.dtype.bytes(); ++byte, ++address) {
    again |= bytes.test(address - kBase);
    bytes.set(address - kBase);
  }
  return again;
}

bool share_a_byte(const TensorView& a, const TensorView& b) {
  Bytes in_a, in_b;
  mark(a, in_a, 0, a.address);
  mark(b, in_b, 0, b.address);
  return (in_a & in_b).any();
}

bool addresses_a_byte_twice(const TensorView& view) {
  Bytes bytes;
  return mark(view, bytes, 0, view.address);
}

// How large the views of a trial are.
struct Sizes {
  std::int64_t rank, dim, stride;
};

// `scale` multiplies every stride: views of one scale interleave often, others collide often.
TensorView draw_view(Choices& choose, Sizes most, std::int64_t scale) {
  std::array<std::int64_t, kMaxRank> shape{}, strides{};
  Descriptor from = kGood;
  from.rank = static_cast<std::int32_t>(choose.between(0, most.rank));
  for (std::size_t d = 0; d < static_cast<std::size_t>(from.rank); ++d) {
    shape[d] = choose.one_in(20) ? 0 : choose.between(1, most.dim);
    strides[d] = scale * choose.between(choose.one_in(8) ? 0 : 1, most.stride / scale);
  }
  from.dtype = choose.of({kUInt8, kBfloat16, kFloat32, kFloat64});
  from.dtype.bits = choose.one_in(20) ? std::uint8_t{128} : from.dtype.bits;
  from.data = kBase + static_cast<std::uintptr_t>(from.dtype.bytes()) * choose.below(40);
  from.shape = shape.data();
  from.strides = strides.data();
  return TensorView::from(from, kDevices);
}

struct Answers {
  int shared = 0, interleaved = 0, apart = 0;
};

void compare_pairs(std::uint64_t seed, int pairs, Sizes most, Answers& answers) {
  Choices choose(seed);
  for (int i = 0; i < pairs; ++i) {
    const std::int64_t scale = choose.between(1, 6);
    const TensorView a = draw_view(choose, most, scale), b = draw_view(choose, most, scale);
    ASSERT_EQ(a.flaw, Flaw::kNone);
    ASSERT_EQ(b.flaw, Flaw::kNone);
    const bool shared = share_a_byte(a, b);
    const Overlap expected = shared ? Overlap::kShared : Overlap::kDisjoint;
    ASSERT_EQ(overlap(a, b), expected) << "pair " << i;
    ASSERT_EQ(overlap(b, a), expected) << "pair " << i << ", swapped";
    ASSERT_EQ(solve_overlap(a, b), expected) << "pair " << i << ", without the fast path";
    ++(shared ? answers.shared : extents_disjoint(a, b) ? answers.apart : answers.interleaved);
  }
}

TEST(OverlapExact, SmallPairsAnswerAsTheirSetsOfBytes) {
  Answers answers;
  compare_pairs(1, 60'000, {.rank = 4, .dim = 5, .stride = 12}, answers);
  EXPECT_GT(answers.shared, 10'000);
  EXPECT_GT(answers.interleaved, 5'000);
  EXPECT_GT(answers.apart, 1'000);
}

// Few long dimensions of large strides: what is left to search once rows are taken together.
TEST(OverlapExact, LongSparsePairsAnswerAsTheirSetsOfBytes) {
  Answers answers;
  compare_pairs(2, 10'000, {.rank = 2, .dim = 40, .stride = 90}, answers);
  EXPECT_GT(answers.shared, 2'000);
  EXPECT_GT(answers.interleaved, 1'000);
}

TEST(OverlapExact, SelfOverlapAnswersAsBytesThatAreAddressedTwice) {
  Choices choose(3);
  int twice = 0, once = 0;
  for (int i = 0; i < 60'000; ++i) {
    const Sizes most = choose.one_in(2) ? Sizes{4, 5, 12} : Sizes{3, 5, 60};
    const TensorView view = draw_view(choose, most, 1);
    const bool shared = addresses_a_byte_twice(view);
    const Overlap expected = shared ? Overlap::kShared : Overlap::kDisjoint;
    ASSERT_EQ(self_overlap(view), expected) << "view " << i;
    ASSERT_EQ(solve_self_overlap(view), expected) << "view " << i << ", without the fast path";
    if (!view.contiguous) ++(shared ? twice : once);
  }
  EXPECT_GT(twice, 5'000);
  EXPECT_GT(once, 5'000);
}

}  // namespace
}  // namespace prelaunch::testing
