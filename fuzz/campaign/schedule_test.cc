#include "fuzz/campaign/schedule.h"

#include <gtest/gtest.h>

#include <map>

namespace prelaunch::fuzz {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// Runs a schedule with one worker to its end; time given to each target. `inputs_of` says what a
// slice of a target finds.
template <class InputsOf>
std::map<std::size_t, seconds> shares(Schedule& schedule, const InputsOf& inputs_of) {
  std::map<std::size_t, seconds> out;
  while (const auto slice = schedule.next()) {
    out[slice->target] += slice->time;
    schedule.ended(*slice, inputs_of(*slice));
  }
  return out;
}

TEST(Schedule, AShortCampaignIsSharedEqually) {
  Schedule schedule(10, 1, minutes{5});
  const auto given = shares(schedule, [](const Slice& slice) { return slice.target * 100; });
  ASSERT_EQ(given.size(), 10u);
  for (const auto& [target, time] : given) EXPECT_EQ(time, seconds{30}) << target;
}

TEST(Schedule, HalfOfALongOneIsSharedEquallyAndTheRestGoesToWhatGrows) {
  Schedule schedule(10, 1, hours{2});
  const auto given =
      shares(schedule, [](const Slice& slice) { return slice.target == 3 ? 50u : 0u; });
  ASSERT_EQ(given.size(), 10u);
  for (const auto& [target, time] : given) {
    if (target != 3) EXPECT_EQ(time, minutes{6}) << target;
  }
  EXPECT_EQ(given.at(3), minutes{66});
}

TEST(Schedule, WhatStopsGrowingGivesWayToWhatStillDoes) {
  Schedule schedule(2, 1, hours{1});
  std::size_t slices = 0;
  const auto given = shares(schedule, [&](const Slice& slice) -> std::size_t {
    if (slice.target == 1) return 10;
    return ++slices <= 2 ? 1000 : 0;  // the equal one, and one of the second half
  });
  EXPECT_GT(given.at(1), given.at(0));
  EXPECT_GT(given.at(0), minutes{15});
}

TEST(Schedule, GivesAwayTheWholeBudgetAndNoMore) {
  for (const unsigned jobs : {1u, 2u, 7u, 10u, 25u}) {
    Schedule schedule(10, jobs, hours{1});
    seconds sum{0};
    for (const auto& [target, time] : shares(schedule, [](const Slice&) { return 1u; })) {
      sum += time;
    }
    const auto workers = std::min(jobs, std::max(jobs / 10, 1u) * 10);
    EXPECT_LE(sum, hours{1} * workers) << jobs;
    EXPECT_GE(sum, hours{1} * workers * 0.9) << jobs;
  }
}

TEST(Schedule, MoreJobsThanTargetsAreSeveralWorkersForEach) {
  Schedule schedule(2, 4, seconds{20});
  std::map<std::size_t, int> workers;
  while (const auto slice = schedule.next()) {
    EXPECT_EQ(slice->time, seconds{20});
    ++workers[slice->target];
  }
  EXPECT_EQ(workers, (std::map<std::size_t, int>{{0, 2}, {1, 2}}));
}

TEST(Schedule, ParallelSlicesAreSpreadOverTargetsThatGrowAlike) {
  Schedule schedule(4, 2, hours{1});
  for (int i = 0; i < 4; ++i) schedule.ended(*schedule.next(), 10);
  const auto a = schedule.next(), b = schedule.next();
  EXPECT_NE(a->target, b->target);
}

TEST(Schedule, WithoutTargetsThereIsNothingToStart) {
  EXPECT_EQ(Schedule(0, 4, hours{1}).next(), std::nullopt);
}

}  // namespace
}  // namespace prelaunch::fuzz
