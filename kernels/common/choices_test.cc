// The same bytes give the same numbers, on every machine.
#include "kernels/common/choices.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

namespace prelaunch {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

std::vector<std::uint64_t> draw(Choices choices, std::uint64_t count, int numbers) {
  std::vector<std::uint64_t> drawn;
  for (int i = 0; i < numbers; ++i) drawn.push_back(choices.below(count));
  return drawn;
}

// The first number is SplitMix64's first output for this seed, as its author publishes it.
TEST(Choices, ASeedGivesTheWordsOfSplitMix64) {
  EXPECT_EQ(draw(Choices(1234567), 0, 3),
            (std::vector<std::uint64_t>{6457827717110365317u, 3203168211198807973u,
                                        9817491932198370423u}));
}

TEST(Choices, ASeedGivesAGoldenSequence) {
  EXPECT_EQ(draw(Choices(42), 1000, 8),
            (std::vector<std::uint64_t>{599, 838, 267, 309, 479, 163, 670, 699}));
}

TEST(Choices, BytesGiveAGoldenSequenceThatGoesOnPastTheirEnd) {
  const std::uint8_t bytes[] = {1, 2, 3, 255};
  EXPECT_EQ(draw(Choices(bytes), 256, 8),
            (std::vector<std::uint64_t>{1, 2, 3, 255, 68, 199, 47, 7}));
  EXPECT_EQ(draw(Choices(bytes, 9), 256, 8),
            (std::vector<std::uint64_t>{1, 2, 3, 255, 113, 17, 197, 109}));
}

TEST(Choices, AByteDecidesAmongUpTo256AndTwoAmongMore) {
  const std::uint8_t bytes[] = {7, 1, 2, 9};
  Choices choices(bytes);
  EXPECT_EQ(choices.below(256), 7u);
  EXPECT_EQ(choices.below(257), (1u * 256 + 2) % 257);
  EXPECT_EQ(choices.below(5), 9u % 5);
}

TEST(Choices, EightBytesDecideAmongTheMost) {
  const std::uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(Choices(bytes).below(0), 0x0102030405060708u);
  EXPECT_EQ(Choices(bytes).below(~std::uint64_t{0}), 0x0102030405060708u);
  EXPECT_EQ(Choices(bytes).below((std::uint64_t{1} << 56) + 1),
            0x0102030405060708u % ((std::uint64_t{1} << 56) + 1));
}

TEST(Choices, EveryNumberIsBelowItsCountAndEachOccurs) {
  Choices choices(3);
  for (const std::uint64_t count : {1u, 2u, 7u, 255u, 256u, 257u}) {
    std::vector<int> seen(count);
    for (int i = 0; i < 20'000; ++i) ++seen.at(choices.below(count));
    for (const int times : seen) EXPECT_GT(times, 0) << count;
  }
}

TEST(Choices, ARangeIncludesBothEnds) {
  Choices choices(4);
  std::array<int, 5> seen{};
  for (int i = 0; i < 1000; ++i) ++seen.at(static_cast<std::size_t>(choices.between(-2, 2) + 2));
  for (const int times : seen) EXPECT_GT(times, 100);
  EXPECT_EQ(choices.between(kMin, kMin), kMin);
  EXPECT_EQ(choices.between(kMax, kMax), kMax);
}

TEST(Choices, ARangeMayBeWiderThanInt64) {
  Choices choices(5);
  int negative = 0, near_ends = 0;
  for (int i = 0; i < 1000; ++i) {
    negative += choices.between(kMin, kMax) < 0;
    const std::int64_t number = choices.between(kMin + 1, kMax - 1);
    near_ends += number == kMin || number == kMax;
  }
  EXPECT_GT(negative, 400);
  EXPECT_LT(negative, 600);
  EXPECT_EQ(near_ends, 0);
  EXPECT_GE(choices.between(kMax - 3, kMax), kMax - 3);
}

TEST(Choices, OneOfAListIsOneOfIt) {
  Choices choices(6);
  std::array<int, 3> seen{};
  for (int i = 0; i < 300; ++i) ++seen.at(static_cast<std::size_t>(choices.of({0, 1, 2})));
  for (const int times : seen) EXPECT_GT(times, 50);
  const std::uint8_t zero[] = {0, 1};
  Choices first(zero);
  EXPECT_TRUE(first.one_in(9));
  EXPECT_FALSE(first.one_in(9));
}

}  // namespace
}  // namespace prelaunch
