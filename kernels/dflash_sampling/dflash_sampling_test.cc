#include "kernels/dflash_sampling/dflash_sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/common/fault.h"
#include "kernels/dflash_sampling/cases.h"
#include "kernels/dflash_sampling/contract.h"
#include "kernels/emulator/op_test.h"

namespace prelaunch::dflash_sampling {
namespace {

using Suite = emulator::OpTest<Op, Cases>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(DflashSampling, EveryCaseIsAccepted) { Suite::expect_every_case_accepted(); }
TEST(DflashSampling, EverySmallCaseIsComputedRight) {
  Suite::expect_small_cases_right(1 << 13, 20);
}
TEST(DflashSampling, DrawnCallsAreAcceptedAndComputedRight) { Suite::expect_draws_right(20, 1500); }
TEST(DflashSampling, EveryEditBreaksItsRuleFirst) {
  Suite::expect_every_edit_breaks_its_rule_first(21);
}
TEST(DflashSampling, EveryRuleOfItsOwnHasAnEdit) { Suite::expect_every_own_rule_has_an_edit(34); }

// --- calls whose answer is known -----------------------------------------------------------------

// Fills of a number everywhere, but for some elements.
Fill filled(double number, std::initializer_list<Fill::At> at = {}) {
  Fill fill{.kind = Fill::Kind::kNumber, .number = number};
  for (const Fill::At& each : at) fill.at[fill.count++] = each;
  return fill;
}

// Two requests of two drafts over three tokens that are equally likely. Token 1 is always drafted
// and always accepted; the bonus is token 1.
Call plain(Filter filter = Filter::kNone, Dtype logits = kFloat32) {
  Call call =
      make_call({.name = "", .bs = 2, .n = 3, .vocab = 3, .logits = logits, .filter = filter});
  const auto fill = [&call](std::size_t field, double number) {
    call.values[field].tensor.fill = filled(number);
  };
  fill(kCandidates, 1);
  fill(kLogits, 0);
  fill(kTemperatures, 1);
  fill(kTopKs, 3);
  fill(kTopPs, 1);
  fill(kCoins, 0);
  fill(kFinalCoins, 0.5);
  return call;
}
void put(Call& call, std::size_t field, std::int64_t element, double number) {
  Fill& fill = call.values[field].tensor.fill;
  ASSERT_LT(fill.count, Fill::kMaxAt);
  fill.at[fill.count++] = {element, number};
}
// Puts the logits of request 1's row `row`.
void put_row(Call& call, std::int64_t row, double a, double b, double c) {
  call.values[kLogits].tensor.fill.count = 0;
  std::int64_t element = 3 * (3 + row);
  for (const double logit : {a, b, c}) put(call, kLogits, element++, logit);
}

constexpr std::uint64_t word(std::uint64_t request, FaultCode code) {
  return fault_word(request, code);
}

// What comes of request 1, and of the fault word; request 0 is as in plain().
void expect_second(const Call& call, std::int64_t accept_len, std::int64_t bonus,
                   std::uint64_t fault = kNoFault) {
  Suite::run(call, [&](const Args& before, const Args& after) {
    EXPECT_EQ(integer(after.accept_len, {0}), 2);
    EXPECT_EQ(integer(after.bonus, {0}), 1);
    EXPECT_EQ(integer(after.accept_len, {1}), accept_len);
    EXPECT_EQ(integer(after.bonus, {1}), bonus);
    if (after.fault.given) {
      EXPECT_EQ(static_cast<std::uint64_t>(load_integer(nth_element(after.fault, 0), kUInt64)),
                fault);
    }
    EXPECT_EQ(verify(before, after).value_or("right"), "right");
  });
}

TEST(DflashSampling, OrdinaryNumbersAreNoFault) { expect_second(plain(), 2, 1); }

TEST(DflashSampling, ATemperatureOutOfRangeEndsItsRequestAtOnce) {
  for (const double bad : {kNan, kInf, -kInf, 0.0, -1.0, 0x1p-127, 0x1p-149}) {
    Call call = plain();
    put(call, kTemperatures, 1, bad);
    expect_second(call, 0, -1, word(1, FaultCode::kBadDistribution));
  }
  for (const double good : {0x1p-126, 1e-5, 1e30, 0x1.fffffep127}) {
    Call call = plain();
    put(call, kTemperatures, 1, good);
    expect_second(call, 2, 1);
  }
}

TEST(DflashSampling, ANanTopPEndsItsRequestAtOnce) {
  Call call = plain(Filter::kBoth);
  put(call, kTopPs, 1, kNan);
  expect_second(call, 0, -1, word(1, FaultCode::kBadDistribution));
  for (const double good : {kInf, -kInf, 0.0, -0.0, 1.0}) {
    call = plain(Filter::kBoth);
    put(call, kTopPs, 1, good);
    expect_second(call, 2, 1);
  }
}

TEST(DflashSampling, LogitsThatAreNoDistributionEndTheirRequestWhereTheyAre) {
  for (const Dtype dtype : {kFloat32, kFloat16, kBfloat16}) {
    for (std::int64_t row = 0; row < 3; ++row) {
      for (const double bad : {kNan, kInf}) {
        for (std::int64_t token = 0; token < 3; ++token) {
          Call call = plain(Filter::kNone, dtype);
          put(call, kLogits, 3 * (3 + row) + token, bad);
          expect_second(call, row, -1, word(1, FaultCode::kBadDistribution));
        }
      }
      Call call = plain(Filter::kNone, dtype);
      put_row(call, row, -kInf, -kInf, -kInf);
      expect_second(call, row, -1, word(1, FaultCode::kBadDistribution));
    }
  }
}

TEST(DflashSampling, ACoinOutOfRangeEndsItsRequestWhereItIs) {
  for (const double bad : {kNan, 1.0, kInf, -kInf, -0x1p-149, 2.0}) {
    for (const std::int64_t row : {0, 1}) {
      Call call = plain();
      put(call, kCoins, 3 + row, bad);
      expect_second(call, row, -1, word(1, FaultCode::kCoinOutOfRange));
    }
    Call call = plain();
    put(call, kFinalCoins, 1, bad);
    expect_second(call, 2, -1, word(1, FaultCode::kCoinOutOfRange));
  }
  for (const double good : {0.0, -0.0, 0x1p-149}) {
    Call call = plain();
    put(call, kCoins, 3, good);
    put(call, kFinalCoins, 1, good);
    expect_second(call, 2, 0);
  }
  Call call = plain();
  put(call, kCoins, 4, 1 - 0x1p-24);
  put(call, kFinalCoins, 1, 1 - 0x1p-24);
  expect_second(call, 1, 2);
}

TEST(DflashSampling, ATokenOutOfRangeIsRejectedAndDrawingGoesOn) {
  for (const double bad : {-1.0, 3.0, 0x1p31, -0x1p31, 0x1p62, -0x1p63}) {
    Call call = plain();
    put(call, kCandidates, 3 + 2, bad);
    expect_second(call, 1, 1, word(1, FaultCode::kTokenOutOfRange));
  }
  // Nothing is removed: not what a wrapped index would name.
  Call call = plain();
  put(call, kCandidates, 3 + 1, -1);
  put(call, kFinalCoins, 1, 0.9);
  expect_second(call, 0, 2, word(1, FaultCode::kTokenOutOfRange));
}

TEST(DflashSampling, GuardsAreTakenInTheirOrder) {
  Call call = plain();
  put(call, kLogits, 3 * 4, kNan);
  put(call, kCoins, 4, kNan);
  put(call, kCandidates, 5, -1);
  put(call, kFinalCoins, 1, kNan);
  expect_second(call, 1, -1, word(1, FaultCode::kBadDistribution));
  call.values[kLogits].tensor.fill.count = 0;
  expect_second(call, 1, -1, word(1, FaultCode::kCoinOutOfRange));
  call.values[kCoins].tensor.fill.count = 0;
  expect_second(call, 1, -1, word(1, FaultCode::kTokenOutOfRange));
  call.values[kCandidates].tensor.fill.count = 0;
  expect_second(call, 2, -1, word(1, FaultCode::kCoinOutOfRange));
}

TEST(DflashSampling, NothingOfARowThatIsNotReachedShows) {
  Call call = plain();
  put(call, kCoins, 3, 0.9);   // row 0 rejects token 1 ..
  put(call, kCoins, 4, kNan);  // .. so that row 1 is not reached
  put(call, kCandidates, 5, -7);
  put_row(call, 1, kNan, kInf, -kInf);
  expect_second(call, 0, 2);
  // Neither are the current token and the last coin.
  call = plain();
  put(call, kCandidates, 3, -1);
  put(call, kCoins, 5, kNan);
  expect_second(call, 2, 1);
}

TEST(DflashSampling, TheFaultWordKeepsTheSmallest) {
  Call call = plain();
  call.values[kFault].tensor.fill = filled(5);
  put(call, kCoins, 3, kNan);
  expect_second(call, 0, -1, 5);
  call.values[kFault].tensor.fill = filled(1 << 8 | 7);
  expect_second(call, 0, -1, word(1, FaultCode::kCoinOutOfRange));
  call.values[kFault].tensor.fill = filled(1 << 8 | 8);
  expect_second(call, 0, -1, word(1, FaultCode::kCoinOutOfRange));
  call.values[kFault].absent = true;
  expect_second(call, 0, -1);
  // Of two requests, the first.
  call = plain();
  put(call, kCoins, 0, kNan);
  put(call, kTemperatures, 1, kNan);
  for (const std::uint64_t order : {0u, 1u, 2u, 3u, 77u}) {
    call.fill = static_cast<std::uint32_t>(order);
    Suite::run(call, [](const Args& before, const Args& after) {
      EXPECT_EQ(static_cast<std::uint64_t>(load_integer(nth_element(after.fault, 0), kUInt64)),
                word(0, FaultCode::kCoinOutOfRange));
      EXPECT_FALSE(verify(before, after).has_value());
    });
  }
}

TEST(DflashSampling, ACoinIsComparedWithTheProbabilityAndTheThresholds) {
  Call call = plain();
  put(call, kCoins, 3, 0.33);
  expect_second(call, 2, 1);
  call = plain();
  put(call, kCoins, 3, 0.34);
  expect_second(call, 0, 2);
  call.values[kThresholdAcc].real = 0.5;
  expect_second(call, 2, 1);
  call.values[kThresholdAcc].real = 0;
  expect_second(call, 2, 1);
  call.values[kThresholdAcc].real = 1;
  call.values[kThresholdSingle].real = 0.33f;
  expect_second(call, 2, 1);
  call.values[kThresholdSingle].real = 0.34f;
  expect_second(call, 0, 2);
}

TEST(DflashSampling, ATokenOfZeroMassIsNeverAccepted) {
  for (const float threshold : {0.0f, 1.0f}) {
    Call call = plain();
    call.values[kThresholdSingle].real = call.values[kThresholdAcc].real = threshold;
    put_row(call, 0, 0, -kInf, 0);
    put(call, kFinalCoins, 1, 0);
    expect_second(call, 0, 0);
    put_row(call, 0, 1000, -1000, 1000);
    expect_second(call, 0, 0);
  }
  // Nor one that a filter has taken out.
  Call call = plain(Filter::kTopK);
  call.values[kThresholdSingle].real = 0;
  put(call, kTopKs, 1, 1);
  put_row(call, 0, 0, 1, 2);
  expect_second(call, 0, 2);
}

TEST(DflashSampling, TopKKeepsTiesAndClamps) {
  Call call = plain(Filter::kTopK);
  put(call, kTopKs, 1, 1);
  put_row(call, 0, 0.0, -0.0, -1);  // -0 equals 0
  put(call, kCoins, 3, 0.49);
  expect_second(call, 2, 1);
  put_row(call, 0, -0.0, 0.0, -1);
  expect_second(call, 2, 1);
  // Everything is kept again: token 1 has less than 0.49 of the mass.
  for (const double off : {3.0, 0x1p30, 2.0}) {
    call = plain(Filter::kTopK);
    put_row(call, 0, 0, 0, 0);
    put(call, kTopKs, 1, off);
    put(call, kCoins, 3, 0.49);
    expect_second(call, 0, 2);
  }
  for (const double least : {0.0, -5.0, 1.0}) {
    call = plain(Filter::kTopK);
    put(call, kTopKs, 1, least);
    put_row(call, 0, 0, 1, 0);
    put(call, kCoins, 3, 1 - 0x1p-24);
    expect_second(call, 2, 1);
  }
}

TEST(DflashSampling, TopPCutsWhatTopKHasLeftRenormalised) {
  // Of 0.5, 0.3 and 0.2, top_p = 0.6 keeps two: token 1 has 3/8.
  Call call = plain(Filter::kTopP);
  put_row(call, 0, std::log(0.5), std::log(0.3), std::log(0.2));
  put(call, kTopPs, 1, 0.6);
  put(call, kCoins, 3, 0.37);
  expect_second(call, 2, 1);
  call.values[kCoins].tensor.fill = filled(0, {{3, 0.38}});
  expect_second(call, 0, 0);
  // Where top_k has left two of them, token 0 alone has 0.625.
  call = plain(Filter::kBoth);
  put_row(call, 0, std::log(0.5), std::log(0.3), std::log(0.2));
  put(call, kTopKs, 1, 2);
  put(call, kTopPs, 1, 0.62);
  expect_second(call, 0, 0);
  call.values[kTopPs].tensor.fill = filled(1, {{1, 0.63}});
  expect_second(call, 2, 1);
}

TEST(DflashSampling, TheRejectedDraftIsNotDrawn) {
  // What is left of 0.1, 0.8 and 0.1 is two halves.
  Call call = plain();
  put_row(call, 0, 0, std::log(8), 0);
  put(call, kCoins, 3, 0.9);
  put(call, kFinalCoins, 1, 0.49);
  expect_second(call, 0, 0);
  call.values[kFinalCoins].tensor.fill = filled(0.5, {{1, 0.51}});
  expect_second(call, 0, 2);
}

// --- cases from the field ------------------------------------------------------------------------

TEST(DflashSampling, AHugeTopKWithOneLikelyToken) {  // f01
  Call call = make_call({.name = "", .bs = 1, .n = 2, .vocab = 32000, .filter = Filter::kTopK});
  call.values[kLogits].tensor.fill = filled(-1000, {{1, 1000}, {32001, 1000}});
  call.values[kTopKs].tensor.fill = filled(1 << 30);
  Suite::run(call, [](const Args& before, const Args& after) {
    EXPECT_EQ(integer(after.bonus, {0}), 1);
    EXPECT_EQ(verify(before, after).value_or("right"), "right");
  });
}

TEST(DflashSampling, TheLastCoinDrawsTheLastTokenWithMass) {  // f03
  for (const std::int64_t vocab : {12, 700}) {
    Call call = make_call({.name = "", .bs = 1, .n = 1, .vocab = vocab, .logits = kFloat32});
    call.values[kLogits].tensor.fill =
        filled(0, {{vocab - 2, -kInf}, {vocab - 1, -kInf}, {vocab - 3, 2}});
    call.values[kTemperatures].tensor.fill = filled(1);
    call.values[kFinalCoins].tensor.fill = filled(1 - 0x1p-24);
    Suite::run(call, [&](const Args& before, const Args& after) {
      EXPECT_EQ(integer(after.bonus, {0}), vocab - 3);
      EXPECT_EQ(verify(before, after).value_or("right"), "right");
    });
  }
}

TEST(DflashSampling, TheFirstCoinDrawsTheFirstTokenWithMass) {
  // So far behind that whole warps find nothing before it.
  for (const std::int64_t token : {650, 5000}) {
    Call call = make_call({.name = "", .bs = 1, .n = 1, .vocab = 5010, .logits = kFloat32});
    call.values[kLogits].tensor.fill = filled(-kInf, {{token, 1}, {token + 1, 2}});
    call.values[kTemperatures].tensor.fill = filled(1);
    call.values[kFinalCoins].tensor.fill = filled(0);
    Suite::run(call, [&](const Args& before, const Args& after) {
      EXPECT_EQ(integer(after.bonus, {0}), token);
      EXPECT_EQ(verify(before, after).value_or("right"), "right");
    });
  }
}

TEST(DflashSampling, AHandfulOfFiniteLogitsInALargeVocabulary) {  // f04
  Call call = make_call({.name = "",
                         .bs = 1,
                         .n = 2,
                         .vocab = 100352,
                         .logits = kFloat32,
                         .filter = Filter::kTopK,
                         .layout = Layout::kBroadcast});
  call.values[kLogits].tensor.fill = filled(-kInf, {{5, 1}, {70000, 3}, {100351, 2}});
  call.values[kTopKs].tensor.fill = filled(1);
  call.values[kCandidates].tensor.fill = filled(70000);
  Suite::run(call, [](const Args& before, const Args& after) {
    EXPECT_EQ(integer(after.accept_len, {0}), 1);
    EXPECT_EQ(integer(after.bonus, {0}), 70000);
    EXPECT_EQ(verify(before, after).value_or("right"), "right");
  });
}

TEST(DflashSampling, ATinyTemperatureIsArgmax) {  // f05
  Call call = plain(Filter::kNone, kFloat16);
  put_row(call, 2, 11.05, 11.0, 11.06);
  call.values[kTemperatures].tensor.fill = filled(1, {{1, 1e-5}});
  put(call, kFinalCoins, 1, 0);
  expect_second(call, 2, 2);
}

// --- layouts -------------------------------------------------------------------------------------

TEST(DflashSampling, StridesOfSingleDimensionsMeanNothing) {
  Call call = make_call({.name = "", .bs = 1, .n = 1, .vocab = 1, .filter = Filter::kBoth});
  for (std::size_t i = 0; i < Op::kFields.size(); ++i) {
    TensorSpec& t = call.values[i].tensor;
    for (std::int32_t d = 0; d < t.rank; ++d) {
      t.strides[static_cast<std::size_t>(d)] = d % 2 == 0 ? -7 : INT64_MAX;
    }
  }
  EXPECT_EQ(Suite::verdict(call), "accepted");
  Suite::expect_right(call, "single dimensions");
}

TEST(DflashSampling, EveryVocabularyIsReadToItsEndAndNoFurther) {
  for (const Dtype dtype : {kFloat32, kFloat16, kBfloat16}) {
    for (std::int64_t vocab = 1; vocab <= 70; ++vocab) {
      for (const Layout layout : {Layout::kContiguous, Layout::kSlice, Layout::kShifted}) {
        Call call = make_call({.name = "",
                               .bs = 1,
                               .n = 2,
                               .vocab = vocab,
                               .logits = dtype,
                               .filter = vocab % 3 == 0 ? Filter::kBoth : Filter::kNone,
                               .layout = layout});
        call.fill = static_cast<std::uint32_t>(vocab);
        Suite::expect_right(call, std::to_string(vocab));
      }
    }
  }
}

TEST(DflashSampling, OutputsBetweenTheElementsOfAnInputAreAccepted) {
  Call call = make_call(
      {.name = "", .bs = 2, .n = 3, .vocab = 8, .layout = Layout::kSlice, .token = kInt64});
  TensorSpec& bonus = call.values[kBonus].tensor;
  bonus.buffer = kCandidates;
  EXPECT_EQ(Suite::verdict(call), "outputs.no_overlap");
  EXPECT_EQ(Suite::blamed(call), "bonus");
  bonus.offset = 6 * 8;  // behind the first row
  EXPECT_EQ(Suite::verdict(call), "accepted");
  Suite::expect_right(call, "bonus between the rows");
  call.values[kFault].tensor.buffer = kCandidates;
  call.values[kFault].tensor.offset = 8;  // between two columns
  EXPECT_EQ(Suite::verdict(call), "accepted");
  Suite::expect_right(call, "fault between the columns");
  call.values[kFault].tensor.offset = 6 * 8;
  EXPECT_EQ(Suite::verdict(call), "outputs.no_overlap");
  call.values[kFault].tensor.offset = 16;
  EXPECT_EQ(Suite::verdict(call), "fault.no_overlap");
  EXPECT_EQ(Suite::blamed(call), "fault");
}

TEST(DflashSampling, ManyRequestsAreTakenInChunks) {
  Suite::expect_right(make_call({.name = "", .bs = 37, .n = 3, .vocab = 5}), "37 requests");
  Suite::expect_right(
      make_call({.name = "", .bs = 3, .n = 1024, .vocab = 2, .threshold_single = 0}),
      "1024 drafts");
}

TEST(DflashSampling, LaunchesOnTheTensorsDeviceAndRestoresTheCallers) {
  Suite::expect_launched_on_the_tensors_device(plain());
}

TEST(DflashSampling, AFailedLaunchNamesTheOpAndLeavesNothingAllocated) {
  Suite::expect_a_failed_launch_named(
      make_call({.name = "", .bs = 2, .n = 2, .vocab = 4, .out = Out::kAbsent}));
}

// --- messages ------------------------------------------------------------------------------------

TEST(DflashSampling, TheSeedsMessagesAreKept) {
  Call flat = plain(), flat_logits = plain(), none = plain(), no_draft = plain(), rows = plain();
  drop_last_dim(flat.values[kCandidates].tensor);
  drop_last_dim(flat_logits.values[kLogits].tensor);
  none.values[kCandidates].tensor.shape[0] = 0;
  no_draft.values[kCandidates].tensor.shape[1] = 0;
  rows.values[kLogits].tensor.shape[0] = 5;
  EXPECT_EQ(Suite::message(flat), "candidates must be 2D, got shape=(2,)");
  EXPECT_EQ(Suite::message(flat_logits), "next_token_logits must be 2D, got shape=(6,).");
  EXPECT_EQ(Suite::message(none), "batch size must be positive, got 0.");
  EXPECT_EQ(Suite::message(no_draft), "draft_token_num must be positive, got 0.");
  EXPECT_EQ(Suite::message(rows), "next_token_logits row count mismatch. Expected 6, got 5.");
  Call elsewhere = plain(), host = plain();
  elsewhere.values[kLogits].tensor.device = cuda(1);
  host.values[kCandidates].tensor.device = kCpuDevice;
  EXPECT_EQ(Suite::verdict(elsewhere), "next_token_logits.device");
  EXPECT_EQ(Suite::message(elsewhere),
            "candidates and next_token_logits must be on the same device, got cuda:0 and cuda:1.");
  EXPECT_EQ(Suite::message(host),
            "candidates and next_token_logits must be on the same device, got cpu and cuda:0.");
  Call coins = plain(), final_coins = plain();
  coins.values[kCoins].tensor.shape[1] = 2;
  final_coins.values[kFinalCoins].tensor.shape[0] = 3;
  EXPECT_EQ(Suite::message(coins), "uniform_samples shape mismatch. Expected (2, 3), got (2, 2).");
  EXPECT_EQ(Suite::message(final_coins),
            "uniform_samples_for_final_sampling shape mismatch. Expected (2,), got (3,).");
}

TEST(DflashSampling, AThresholdOutOfRangeIsBlamedByName) {
  for (const std::size_t field : {kThresholdSingle, kThresholdAcc}) {
    for (const float bad : {-0x1p-149f, 1 + 0x1p-23f, static_cast<float>(kNan),
                            static_cast<float>(kInf), -static_cast<float>(kInf)}) {
      Call call = plain();
      call.values[field].real = bad;
      EXPECT_EQ(Suite::verdict(call), "thresholds.range");
      EXPECT_EQ(Suite::blamed(call), Op::kFields[field].name);
    }
    for (const float good : {0.0f, -0.0f, 1.0f}) {
      Call call = plain();
      call.values[field].real = good;
      EXPECT_EQ(Suite::verdict(call), "accepted");
    }
  }
  Call call = plain();
  call.values[kThresholdAcc].real = 1.5;
  EXPECT_EQ(Suite::message(call),
            "threshold_single and threshold_acc must be in [0, 1], got 1 and 1.5.");
}

TEST(DflashSampling, SizesAtTheirLimits) {
  Call call = make_call({.name = "", .bs = 1, .n = 1024, .vocab = 1});
  EXPECT_EQ(Suite::verdict(call), "accepted");
  call = make_call({.name = "", .bs = 1, .n = 1025, .vocab = 1});
  EXPECT_EQ(Suite::verdict(call), "draft_token_num.limit");
  call = make_call({.name = "", .bs = 1, .n = 1, .vocab = 1, .token = kInt32, .out = Out::kAbsent});
  make_batch(call, (std::int64_t{1} << 60) - 1);
  EXPECT_EQ(Suite::verdict(call), "accepted");
  make_batch(call, std::int64_t{1} << 60);
  EXPECT_EQ(Suite::verdict(call), "bonus.size");
}

// --- the reference sees errors -------------------------------------------------------------------

// A sampler of its own, in double precision, with an error of choice.
enum class Error : std::uint8_t {
  kNone,
  kKeepsRejected,    // draws from all the mass
  kAcceptsAtEqual,   // `<=` in place of `<`
  kDrawsAtEqual,     // likewise for the bonus
  kTopKWithoutTies,  // exactly k
  kNotRenormalised,  // after top_k
  kTemperatureIgnored,
  kAcceptsZeroMass,
  kTopPOneMore,
  kTopPOneLess,
  kTopPWithoutTies,
  kDrawsBackwards,
  kThresholdsSwapped,
  kPreviousCoin,  // of the row before
};

struct Outcome {
  std::int64_t accept_len = 0, bonus = -1;
  std::uint64_t fault = kNoFault;
};

std::vector<double> masses(const Args& a, std::int64_t b, std::int64_t row, Error error) {
  const std::int64_t vocab = a.next_token_logits.shape[1];
  const double t = error == Error::kTemperatureIgnored ? 1 : value(a.temperatures, {b});
  std::vector<std::pair<double, std::size_t>> tokens;
  for (std::int64_t x = 0; x < vocab; ++x) {
    tokens.emplace_back(-value(a.next_token_logits, {row, x}), static_cast<std::size_t>(x));
  }
  std::sort(tokens.begin(), tokens.end());
  std::size_t kept = tokens.size();
  if (a.top_ks.given) {
    kept = static_cast<std::size_t>(std::clamp(integer(a.top_ks, {b}), std::int64_t{1}, vocab));
    while (error != Error::kTopKWithoutTies && kept < tokens.size() &&
           tokens[kept].first == tokens[kept - 1].first) {
      ++kept;
    }
  }
  const auto mass = [&](std::size_t i) {
    const double m = std::exp((tokens[0].first - tokens[i].first) / t);
    return m < 0x1p-126 ? 0 : m;
  };
  double total = 0;
  for (std::size_t i = 0; i < (error == Error::kNotRenormalised ? tokens.size() : kept); ++i) {
    total += mass(i);
  }
  const double top_p = a.top_ps.given ? value(a.top_ps, {b}) : 1;
  if (top_p < 1) {
    std::size_t i = 0;
    for (double sum = mass(0); i + 1 < kept && sum < top_p * total; sum += mass(i)) ++i;
    if (error == Error::kTopPOneMore && i + 1 < kept) ++i;
    if (error == Error::kTopPOneLess && i > 0) --i;
    const bool ties = error != Error::kTopPWithoutTies;
    for (++i; ties && i < kept && tokens[i].first == tokens[i - 1].first;) ++i;
    kept = i;
  }
  std::vector<double> out(tokens.size());
  for (std::size_t i = 0; i < kept; ++i) out[tokens[i].second] = mass(i);
  if (error == Error::kNotRenormalised) out.push_back(total);  // what p is divided by
  return out;
}

std::int64_t draw(std::vector<double> mass, double coin, Error error) {
  if (error == Error::kDrawsBackwards) std::reverse(mass.begin(), mass.end());
  double total = 0, sum = 0;
  for (const double m : mass) total += m;
  std::size_t x = 0;
  for (; x < mass.size(); ++x) {
    sum += mass[x];
    if (sum > coin * total || (error == Error::kDrawsAtEqual && sum >= coin * total)) break;
  }
  if (error == Error::kDrawsBackwards) x = mass.size() - 1 - x;
  return static_cast<std::int64_t>(x);
}

// For calls that no guard objects to.
Outcome sample(const Args& a, std::int64_t b, Error error) {
  Outcome out;
  const std::int64_t n = a.candidates.shape[1];
  double single = static_cast<double>(a.threshold_single);
  double acc = std::max(static_cast<double>(a.threshold_acc), 1e-9);
  if (error == Error::kThresholdsSwapped) std::swap(single, acc);
  for (std::int64_t r = 0;; ++r) {
    std::vector<double> mass = masses(a, b, b * n + r, error);
    double total = 0;
    for (const double m : mass) total += m;
    if (error == Error::kNotRenormalised) total = mass.back(), mass.pop_back();
    out.accept_len = r;
    if (r < n - 1) {
      const auto draft = static_cast<std::size_t>(integer(a.candidates, {b, r + 1}));
      const double p = mass[draft] / total;
      const std::int64_t column = error == Error::kPreviousCoin && r > 0 ? r - 1 : r;
      const double coin = value(a.uniform_samples, {b, column});
      const bool positive =
          p > 0 || error == Error::kAcceptsZeroMass || error == Error::kAcceptsAtEqual;
      const bool below = error == Error::kAcceptsAtEqual ? coin <= p / acc : coin < p / acc;
      if (positive && (below || p >= single)) continue;
      if (error != Error::kKeepsRejected) mass[draft] = 0;
    }
    out.bonus = draw(mass, value(a.uniform_samples_for_final_sampling, {b}), error);
    return out;
  }
}

// How many of the drawn calls the reference objects to when `error` gives the results.
int objections(Error error, int calls) {
  Choices choose(std::uint64_t{22});
  int seen = 0;
  for (int i = 0; i < calls; ++i) {
    Case of = draw_case(choose);
    of.out = Out::kGiven;
    of.column_of_temperatures = false;
    Call call = make_call(of);
    call.fill = static_cast<std::uint32_t>(i);
    emulator::CallMemory<Op> memory(call);
    // No kernel is run: the host copies are before and after at once, the outputs apart.
    const Args args = bind<Op>(call, memory.before(), door::device_count());
    for (std::int64_t b = 0; b < of.bs; ++b) {
      const Outcome outcome = sample(args, b, error);
      store(element(args.accept_len, {b}), kInt32, static_cast<double>(outcome.accept_len));
      store(element(args.bonus, {b}), kInt64, static_cast<double>(outcome.bonus));
    }
    seen += verify(args, args).has_value() ? 1 : 0;
  }
  return seen;
}

TEST(DflashSampling, TheReferenceAgreesWithASamplerOfItsOwn) {
  EXPECT_EQ(objections(Error::kNone, 3000), 0);
}

TEST(DflashSampling, ErrorsOfASamplerAreSeen) {
  for (int e = static_cast<int>(Error::kNone) + 1; e <= static_cast<int>(Error::kPreviousCoin);
       ++e) {
    const int seen = objections(static_cast<Error>(e), 2000);
    EXPECT_GT(seen, 0) << "error " << e;
    RecordProperty("error_" + std::to_string(e), seen);
  }
}

TEST(DflashSampling, ErrorsOfAResultAreSeen) {
  Call call = plain();
  put(call, kCoins, 3, kNan);
  Suite::run(call, [](const Args& before, const Args& after) {
    ASSERT_FALSE(verify(before, after).has_value());
    // The results of request 0 and of request 1, which ended with a fault, and the word.
    for (std::int64_t b = 0; b < 2; ++b) {
      for (const std::int64_t off : {-1, 1}) {
        auto* accept_len = reinterpret_cast<std::int32_t*>(element(after.accept_len, {b}));
        auto* bonus = reinterpret_cast<std::int64_t*>(element(after.bonus, {b}));
        *accept_len += static_cast<std::int32_t>(off);
        EXPECT_TRUE(verify(before, after).has_value());
        *accept_len -= static_cast<std::int32_t>(off);
        *bonus += off;
        EXPECT_TRUE(verify(before, after).has_value());
        *bonus -= off;
      }
    }
    auto* fault = reinterpret_cast<std::uint64_t*>(nth_element(after.fault, 0));
    for (const std::uint64_t wrong : {kNoFault, *fault + 1, *fault - 1, std::uint64_t{7}}) {
      const std::uint64_t right = std::exchange(*fault, wrong);
      EXPECT_TRUE(verify(before, after).has_value());
      *fault = right;
    }
  });
}

}  // namespace
}  // namespace prelaunch::dflash_sampling
