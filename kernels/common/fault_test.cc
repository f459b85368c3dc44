// The fault word: packing, order, names.
#include "kernels/common/fault.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace prelaunch {
namespace {

constexpr FaultCode kCodes[] = {FaultCode::kPositionOutOfRange, FaultCode::kSlotOutOfRange,
                                FaultCode::kSlotDuplicated,     FaultCode::kCursorOutOfRange,
                                FaultCode::kTokenOutOfRange,    FaultCode::kBadDistribution,
                                FaultCode::kCoinOutOfRange};
// The largest row that a word can hold.
constexpr std::uint64_t kLastRow = (std::uint64_t{1} << 56) - 1;

TEST(Fault, AWordGivesBackItsRowAndCode) {
  for (const std::uint64_t row : {std::uint64_t{0}, std::uint64_t{1} << 32, kLastRow}) {
    for (const FaultCode code : kCodes) {
      EXPECT_EQ(read_fault(fault_word(row, code)), (Fault{row, code}));
    }
  }
  static_assert(fault_word(5, FaultCode::kSlotDuplicated) == (5 << 8 | 3));
}

TEST(Fault, TheCodesAreNumberedInTheOrderOfTheirPage) {
  for (std::size_t i = 0; i < std::size(kCodes); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kCodes[i]), i + 1);
  }
}

TEST(Fault, AWordThatNoRowTouchedHasNoFault) {
  static_assert(kNoFault == 0xffff'ffff'ffff'ffff);
  static_assert(!read_fault(kNoFault).has_value());
  static_assert(read_fault(kNoFault - 1).has_value());
}

TEST(Fault, TheMinimumOfWordsIsTheSmallestRowsWhateverTheCodes) {
  for (const FaultCode one : kCodes) {
    for (const FaultCode other : kCodes) {
      EXPECT_LT(fault_word(7, one), fault_word(8, other));
      EXPECT_LT(fault_word(kLastRow, one), kNoFault);
    }
  }
}

TEST(Fault, EveryCodeHasAName) {
  constexpr std::string_view names[] = {
      "position_out_of_range", "slot_out_of_range", "slot_duplicated",  "cursor_out_of_range",
      "token_out_of_range",    "bad_distribution",  "coin_out_of_range"};
  for (std::size_t i = 0; i < std::size(kCodes); ++i) EXPECT_EQ(to_string(kCodes[i]), names[i]);
  EXPECT_STREQ(to_string(static_cast<FaultCode>(0)), "unknown");
  EXPECT_STREQ(to_string(static_cast<FaultCode>(8)), "unknown");
  EXPECT_STREQ(to_string(static_cast<FaultCode>(255)), "unknown");
}

}  // namespace
}  // namespace prelaunch
