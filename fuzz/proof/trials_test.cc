// Tries that may end their process.
#include "fuzz/proof/trials.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace prelaunch::fuzz {
namespace {

TEST(Trials, EachIsTriedOnceInOrderAndKeepsWhatItWrote) {
  const auto trials =
      run_trials(5, [next = 0u](std::size_t i, std::atomic<std::uint32_t>& value) mutable {
        value = 10 * next++ + static_cast<std::uint32_t>(i);
      });
  ASSERT_EQ(trials.size(), 5u);
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(trials[i].end, Trial::End::kFinished);
    EXPECT_EQ(trials[i].value, 11 * i);
  }
}

TEST(Trials, OneThatEndsItsProcessEndsNoOther) {
  const auto trials = run_trials(4, [](std::size_t i, std::atomic<std::uint32_t>& value) {
    value = 7;
    if (i % 2 == 1) std::abort();
    value = 8;
  });
  for (std::size_t i = 0; i < trials.size(); ++i) {
    EXPECT_EQ(trials[i].end, i % 2 == 1 ? Trial::End::kDied : Trial::End::kFinished) << i;
    EXPECT_EQ(trials[i].value, i % 2 == 1 ? 7u : 8u) << i;
  }
}

TEST(Trials, NoneAreNone) {
  EXPECT_TRUE(run_trials(0, [](std::size_t, std::atomic<std::uint32_t>&) {}).empty());
}

}  // namespace
}  // namespace prelaunch::fuzz
