#include "kernels/dflash_greedy/dflash_greedy.h"

#include <gtest/gtest.h>

#include "kernels/dflash_greedy/cases.h"
#include "kernels/dflash_greedy/contract.h"
#include "kernels/emulator/op_test.h"

namespace prelaunch::dflash_greedy {
namespace {

using Suite = emulator::OpTest<Op, Cases>;

Call plain() { return make_call({"plain", 2, 4}); }

TEST(DflashGreedy, EveryCaseIsAccepted) { Suite::expect_every_case_accepted(); }
TEST(DflashGreedy, EverySmallCaseIsComputedRight) {
  Suite::expect_small_cases_right(1 << 13, static_cast<int>(kCases.size()));
}
TEST(DflashGreedy, DrawnCallsAreAcceptedAndComputedRight) { Suite::expect_draws_right(20, 500); }
TEST(DflashGreedy, EveryEditBreaksItsRuleFirst) {
  Suite::expect_every_edit_breaks_its_rule_first(21);
}
TEST(DflashGreedy, EveryRuleOfItsOwnHasAnEdit) { Suite::expect_every_own_rule_has_an_edit(13); }

// What each of `candidates` and `target` hold, and what comes of it.
struct Verified {
  std::vector<std::int64_t> candidates, target;
  std::int64_t accept_len, bonus;
};

TEST(DflashGreedy, DraftsAreAcceptedUpToTheFirstThatDiffers) {
  const Verified cases[] = {{{9, 5, 6, 7}, {5, 6, 7, 8}, 3, 8},
                            {{9, 5, 6, 7}, {5, 6, 0, 8}, 2, 0},
                            {{9, 5, 6, 7}, {4, 6, 7, 8}, 0, 4},
                            {{9, 5, 6, 7}, {-1, 6, 7, 8}, 0, -1}};
  for (const Verified& each : cases) {
    for (const Dtype dtype : {kInt32, kInt64}) {
      Call call = make_call({"", 1, 4, dtype, dtype});
      // Fills name three elements; the fourth is what all others hold.
      for (const auto& [field, tokens] :
           {std::pair{kCandidates, each.candidates}, {kTarget, each.target}}) {
        Fill& fill = call.values[field].tensor.fill;
        fill = {.kind = Fill::Kind::kNumber, .count = 3, .number = double(tokens[3])};
        for (std::size_t i = 0; i < 3; ++i) {
          fill.at[i] = {static_cast<std::int64_t>(i), double(tokens[i])};
        }
      }
      Suite::run(call, [&each](const Args&, const Args& after) {
        EXPECT_EQ(integer(after.accept_len, {0}), each.accept_len);
        EXPECT_EQ(integer(after.bonus, {0}), each.bonus);
      });
    }
  }
}

TEST(DflashGreedy, TheSeedsMessagesAreKept) {
  Call flat = plain(), narrow = plain(), none = plain();
  drop_last_dim(flat.values[kCandidates].tensor);
  narrow.values[kTarget].tensor.shape[1] = 3;
  for (const std::size_t i : {kCandidates, kTarget}) none.values[i].tensor.shape[0] = 0;
  EXPECT_EQ(Suite::message(flat), "candidates must be 2D, got shape=(2,)");
  EXPECT_EQ(Suite::message(narrow),
            "target_predict must have the same shape as candidates. candidates.shape=(2, 4), "
            "target_predict.shape=(2, 3)");
  EXPECT_EQ(Suite::message(none), "batch size must be positive, got 0.");
  EXPECT_EQ(Suite::blamed(none), "candidates");
}

TEST(DflashGreedy, AnOverlapBlamesTheOutput) {
  Call call = plain();
  call.values[kBonus].tensor.buffer = kTarget;
  EXPECT_EQ(Suite::blamed(call), "bonus");
  EXPECT_EQ(Suite::message(call),
            "accept_len and bonus must not share a byte with each other or with any input, but "
            "bonus does.");
}

TEST(DflashGreedy, OutputsBetweenTheTokensOfAnInputAreAccepted) {
  // Every other column of a table of int64 is candidates; bonus lies in one between.
  Call call = make_call({"", 2, 3, kInt64, kInt64, Layout::kPadded});
  TensorSpec& bonus = call.values[kBonus].tensor;
  bonus.buffer = kCandidates;
  bonus.shape[0] = 2;
  EXPECT_EQ(Suite::verdict(call), "outputs.no_overlap");
  bonus.offset = 6 * 8;  // the three between the rows
  EXPECT_EQ(Suite::verdict(call), "accepted");
  Suite::expect_right(call, "bonus between the rows");
}

// accept_len is an int32: one more draft, all accepted, would not fit.
TEST(DflashGreedy, ABlockThatAcceptLenCannotCountIsRejected) {
  Call call = plain();
  for (const std::size_t i : {kCandidates, kTarget}) {
    call.values[i].tensor.shape[1] = std::int64_t{1} << 31;
    call.values[i].tensor.strides[1] = 0;
  }
  EXPECT_EQ(Suite::verdict(call), "accepted");
  for (const std::size_t i : {kCandidates, kTarget}) call.values[i].tensor.shape[1] += 1;
  EXPECT_EQ(Suite::verdict(call), "block_size.limit");
}

TEST(DflashGreedy, LaunchesOnTheTensorsDeviceAndRestoresTheCallers) {
  Suite::expect_launched_on_the_tensors_device(plain());
}

TEST(DflashGreedy, AFailedLaunchNamesTheOpAndLeavesNothingAllocated) {
  Suite::expect_a_failed_launch_named(
      make_call({"", 2, 4, kInt64, kInt64, Layout::kContiguous, Out::kAbsent}));
}

}  // namespace
}  // namespace prelaunch::dflash_greedy
