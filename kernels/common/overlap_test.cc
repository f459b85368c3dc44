// The overlap solver on the layouts that it is for, at the ends of 64 bits, and past its budget.
#include "kernels/common/overlap.h"

#include <gtest/gtest.h>

#include "kernels/common/test_views.h"

namespace prelaunch::testing {
namespace {

constexpr std::uintptr_t kPool = 1 << 20;

// Both orders of the arguments.
Overlap both(const TensorView& a, const TensorView& b) {
  EXPECT_EQ(a.flaw, Flaw::kNone);
  EXPECT_EQ(b.flaw, Flaw::kNone);
  const Overlap answer = overlap(a, b);
  EXPECT_EQ(overlap(b, a), answer);
  return answer;
}

TEST(Overlap, ViewsThatOnlyTouchAreDisjoint) {
  static_assert(extents_disjoint(at(4096, kFloat32, {2}, {1}), at(4104, kFloat32, {2}, {1})));
  static_assert(extents_disjoint(at(4104, kFloat32, {2}, {1}), at(4096, kFloat32, {2}, {1})));
  static_assert(!extents_disjoint(at(4096, kFloat32, {2}, {1}), at(4102, kBfloat16, {2}, {1})));
}

TEST(Overlap, ViewsWithoutElementsOrNotGivenShareNothing) {
  const TensorView full = at(4096, kFloat32, {8}, {1});
  EXPECT_EQ(both(at(4100, kFloat32, {0}, {1}), full), Overlap::kDisjoint);
  EXPECT_EQ(both(TensorView{}, full), Overlap::kDisjoint);
  EXPECT_EQ(self_overlap(at(4096, kFloat32, {0, 4}, {0, 0})), Overlap::kDisjoint);
  EXPECT_EQ(self_overlap(TensorView{}), Overlap::kDisjoint);
}

TEST(Overlap, OneSharedByteIsFound) {
  const TensorView wide = at(4096, kFloat32, {3}, {4});  // bytes 0..3, 16..19, 32..35
  EXPECT_EQ(both(wide, at(4096 + 35, kUInt8, {}, {})), Overlap::kShared);
  EXPECT_EQ(both(wide, at(4096 + 31, kUInt8, {}, {})), Overlap::kDisjoint);
  EXPECT_EQ(both(wide, at(4096 + 16, kUInt8, {1}, {77})), Overlap::kShared);
  EXPECT_EQ(both(wide, at(4096 + 4, kUInt8, {12}, {1})), Overlap::kDisjoint);
  EXPECT_EQ(both(wide, at(4096 + 4, kUInt8, {13}, {1})), Overlap::kShared);
}

// [layers, tokens, heads, head_dim] twice in a pool of [layers, slots, 2, heads, head_dim].
TEST(Overlap, HalvesOfOnePoolAreDisjoint) {
  constexpr std::int64_t row = 8 * 128, slots = 4096;
  const auto half = [](std::uintptr_t offset) {
    return at(kPool + offset, kBfloat16, {32, slots, 8, 128}, {slots * 2 * row, 2 * row, 128, 1});
  };
  EXPECT_EQ(both(half(0), half(row * 2)), Overlap::kDisjoint);
  EXPECT_EQ(both(half(0), half(row * 2 - 2)), Overlap::kShared);
  EXPECT_EQ(both(half(0), half(row * 2 + 2)), Overlap::kShared);
  EXPECT_EQ(self_overlap(half(0)), Overlap::kDisjoint);
}

// The page of one slot: an f32 state [HV, V, K], then bf16 rings [HV, L, V] and [HV, L, K]; its
// size is odd in units of 16 bytes.
struct PageMajorPool {
  static constexpr std::int64_t kSlots = 2048, kHeads = 8, kV = 128, kK = 96, kL = 16;
  static constexpr std::int64_t kState = kHeads * kV * kK * 4, kD = kHeads * kL * kV * 2;
  static constexpr std::int64_t kPage = kState + kD + kHeads * kL * kK * 2 + 16;

  static TensorView state(std::uintptr_t offset = 0) {
    return at(kPool + offset, kFloat32, {kSlots, kHeads, kV, kK}, {kPage / 4, kV * kK, kK, 1});
  }
  static TensorView d(std::uintptr_t offset = kState) {
    return at(kPool + offset, kBfloat16, {kSlots, kHeads, kL, kV}, {kPage / 2, kL * kV, kV, 1});
  }
  static TensorView k(std::uintptr_t offset = kState + kD) {
    return at(kPool + offset, kBfloat16, {kSlots, kHeads, kL, kK}, {kPage / 2, kL * kK, kK, 1});
  }
};

TEST(Overlap, SectionsOfAPageMajorPoolAreDisjoint) {
  using Pool = PageMajorPool;
  EXPECT_EQ(both(Pool::state(), Pool::d()), Overlap::kDisjoint);
  EXPECT_EQ(both(Pool::state(), Pool::k()), Overlap::kDisjoint);
  EXPECT_EQ(both(Pool::d(), Pool::k()), Overlap::kDisjoint);
  for (const TensorView& view : {Pool::state(), Pool::d(), Pool::k()}) {
    EXPECT_EQ(self_overlap(view), Overlap::kDisjoint);
  }
}

TEST(Overlap, SectionsThatReachIntoEachOtherAreShared) {
  using Pool = PageMajorPool;
  EXPECT_EQ(both(Pool::state(), Pool::d(Pool::kState - 2)), Overlap::kShared);
  EXPECT_EQ(both(Pool::d(Pool::kState + 2), Pool::k()), Overlap::kShared);
  EXPECT_EQ(both(Pool::state(), Pool::k(Pool::kState + Pool::kD + 16)), Overlap::kDisjoint);
  EXPECT_EQ(both(Pool::state(), Pool::k(Pool::kState + Pool::kD + 18)), Overlap::kShared);
}

TEST(Overlap, InterleavedColumnsAreDisjoint) {
  const auto column = [](std::uintptr_t i, Dtype dtype) {
    return at(kPool + 2 * i, dtype, {100'000, 64}, {2 * 64 * 8 / dtype.bytes(), 8 / dtype.bytes()});
  };
  EXPECT_EQ(both(column(0, kBfloat16), column(1, kBfloat16)), Overlap::kDisjoint);
  EXPECT_EQ(both(column(0, kFloat32), column(2, kBfloat16)), Overlap::kDisjoint);
  EXPECT_EQ(both(column(0, kFloat32), column(1, kBfloat16)), Overlap::kShared);
}

// Two pitches in one buffer: more than 10^6 rows each, and no common layout.
TEST(Overlap, RowsOfTwoPitchesAreDecided) {
  const TensorView even = at(kPool, kUInt8, {3'000'000, 2}, {1'000'002, 34});
  EXPECT_EQ(both(even, at(kPool + 1, kUInt8, {3'000'000, 2}, {999'998, 58})), Overlap::kDisjoint);
  EXPECT_EQ(both(even, at(kPool + 2, kUInt8, {3'000'000, 2}, {999'998, 58})), Overlap::kShared);
}

TEST(Overlap, WindowsAndBroadcastsOverlapThemselves) {
  EXPECT_EQ(self_overlap(at(4096, kFloat32, {4, 8}, {0, 1})), Overlap::kShared);
  EXPECT_EQ(self_overlap(at(4096, kFloat32, {4, 8}, {7, 1})), Overlap::kShared);
  EXPECT_EQ(self_overlap(at(4096, kFloat32, {4, 8}, {8, 1})), Overlap::kDisjoint);
  EXPECT_EQ(self_overlap(at(4096, kFloat32, {4, 8}, {1, 4})), Overlap::kDisjoint);
  EXPECT_EQ(self_overlap(at(4096, kFloat32, {1, 8}, {0, 1})), Overlap::kDisjoint);
}

TEST(Overlap, ExtentsNearTwoToThe63AreDecided) {
  constexpr std::int64_t half = std::int64_t{1} << 62;
  const TensorView ends = at(16, kUInt8, {2}, {kMaxInt64 - 1});  // bytes 16 and 2^63 + 14
  ASSERT_EQ(ends.extent, kMaxInt64);
  EXPECT_EQ(both(ends, at(std::uintptr_t{1} << 62, kUInt8, {half}, {1})), Overlap::kDisjoint);
  EXPECT_EQ(both(ends, at((std::uintptr_t{1} << 62) + 15, kUInt8, {half}, {1})), Overlap::kShared);
  EXPECT_EQ(both(ends, at(17, kUInt8, {2}, {kMaxInt64 - 3})), Overlap::kDisjoint);
  EXPECT_EQ(both(ends, at(17, kUInt8, {2}, {kMaxInt64 - 2})), Overlap::kShared);
  EXPECT_EQ(self_overlap(at(16, kUInt8, {2, 2}, {half - 8, half - 8})), Overlap::kShared);
  EXPECT_EQ(self_overlap(at(16, kUInt8, {2, 2}, {half - 8, half - 9})), Overlap::kDisjoint);
}

TEST(Overlap, AddressesNearTwoToThe64AreDecided) {
  constexpr std::uintptr_t top = ~std::uintptr_t{0} - 4095;
  EXPECT_EQ(both(at(top, kUInt8, {2}, {4094}), at(top + 4094, kUInt8, {}, {})), Overlap::kShared);
  EXPECT_EQ(both(at(top, kUInt8, {2}, {4094}), at(top + 1, kUInt8, {4093}, {1})),
            Overlap::kDisjoint);
  EXPECT_EQ(both(at(1, kUInt8, {2}, {4}), at(top, kUInt8, {4095}, {1})), Overlap::kDisjoint);
  // From 2^63 to 2^64 - 2, and from 2^62 to 2^63 + 2^62 - 1: they meet in the upper half.
  const TensorView upper = at(std::uintptr_t{1} << 63, kUInt8, {2, 2}, {kMaxInt64 - 3, 1});
  EXPECT_EQ(both(upper, at(std::uintptr_t{1} << 62, kUInt8, {kMaxInt64}, {1})), Overlap::kShared);
}

// Eight dimensions and no order in their strides: the search is cut off.
TEST(Overlap, AHardPairEndsUndecided) { EXPECT_EQ(both(hard_a(), hard_b()), Overlap::kUndecided); }

TEST(Overlap, AHardViewEndsUndecidedAboutItself) {
  ASSERT_EQ(hard_alone().flaw, Flaw::kNone);
  EXPECT_EQ(self_overlap(hard_alone()), Overlap::kUndecided);
}

// `check_without` reaches overlap rules with numbers that were never found to fit.
TEST(Overlap, ViewsWithUnfitSizesAreNotDecided) {
  const TensorView full = at(4096, kFloat32, {8}, {1});
  const TensorView huge = at(4096, kFloat32, {4, 4}, {kMaxInt64, 1});
  const TensorView backward = at(4096, kFloat32, {4, 4}, {kMinInt64, 1});
  ASSERT_EQ(huge.flaw, Flaw::kSize);
  ASSERT_EQ(backward.flaw, Flaw::kStrides);
  for (const TensorView& view : {huge, backward}) {
    EXPECT_EQ(solve_overlap(view, full), Overlap::kUndecided);
    EXPECT_EQ(solve_overlap(full, view), Overlap::kUndecided);
    EXPECT_EQ(self_overlap(view), Overlap::kUndecided);
  }
}

}  // namespace
}  // namespace prelaunch::testing
