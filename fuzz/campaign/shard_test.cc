#include "fuzz/campaign/shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse_shard(text);
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Shard, IsWrittenAsItIsRead) {
  EXPECT_EQ(parse_shard("0/1"), (Shard{0, 1}));
  EXPECT_EQ(parse_shard("2/8"), (Shard{2, 8}));
  EXPECT_EQ(parse_shard("4095/4096"), (Shard{4095, 4096}));
  EXPECT_EQ(to_string(parse_shard("07/08")), "7/8");
}

TEST(Shard, WhatIsNoneIsExplained) {
  EXPECT_EQ(error_of("8/8"), "--shard: expected I/N with 0 <= I < N, like 2/8, got 8/8");
  EXPECT_EQ(error_of("0/4097"),
            "--shard: expected I/N with 0 <= I < N <= 4096, like 2/8, got 0/4097");
  for (const char* text : {"", "/", "1", "1/", "/2", "-1/2", "+1/2", "1/2/3", "1/2 ", " 1/2", "a/b",
                           "0x1/2", "1.0/2", "0/0", "99999999999999999999/2", "00001/2"}) {
    EXPECT_EQ(error_of(text),
              std::string("--shard: expected I/N with 0 <= I < N, like 2/8, got ") + text);
  }
}

TEST(Shard, SharesArePartition) {
  for (const unsigned count : {1u, 2u, 3u, 4u, 7u, 64u, 1000u, kMaxShards}) {
    for (std::size_t item = 0; item < 200; ++item) {
      unsigned owners = 0;
      for (unsigned index = 0; index < count; ++index)
        owners += in_share(item, Shard{index, count});
      EXPECT_EQ(owners, 1u) << item << " of " << count;
    }
  }
  EXPECT_TRUE(in_share(5, std::nullopt));
}

TEST(Shard, SharesAreOfEqualSize) {
  for (const unsigned count : {2u, 3u, 5u}) {
    for (unsigned index = 0; index < count; ++index) {
      std::size_t size = 0;
      for (std::size_t item = 0; item < 87; ++item) size += in_share(item, Shard{index, count});
      EXPECT_GE(size, 87 / count);
      EXPECT_LE(size, 87 / count + 1);
    }
  }
}

TEST(Seed, OfACampaignIsTodays) {
  EXPECT_EQ(worker_seed(1, std::nullopt, 0), 1001u);
  EXPECT_EQ(worker_seed(1, std::nullopt, 3), 1151u);
  EXPECT_EQ(worker_seed(0x7fffffff, std::nullopt, 0), 1u);
}

// Ranges of kSeedsPerWorker that neither meet nor leave what libFuzzer tells apart.
void expect_apart(std::uint64_t seed, unsigned count, std::uint64_t workers) {
  std::vector<std::uint64_t> first;
  for (unsigned index = 0; index < count; ++index) {
    for (std::uint64_t worker = 0; worker < workers; ++worker) {
      first.push_back(worker_seed(seed, Shard{index, count}, worker));
    }
  }
  std::sort(first.begin(), first.end());
  EXPECT_GE(first.front(), 1u);
  EXPECT_LT(first.back() + kSeedsPerWorker - 1, 0x7fffffffu);
  std::size_t meet = 0;
  for (std::size_t i = 1; i < first.size(); ++i) meet += first[i] - first[i - 1] < kSeedsPerWorker;
  EXPECT_EQ(meet, 0u) << "seed " << seed;
}

TEST(Seed, OfShardsNeverCoincide) {
  for (const std::uint64_t seed : {0ull, 1ull, 7ull, 0x7fffffffull, ~0ull, ~0ull - 1}) {
    expect_apart(seed, 8, 1024);
    expect_apart(seed, kMaxShards, 64);
  }
  expect_apart(3, 700, kMaxWorkers);
}

// One shard may run where another's count is not known; --seed is what a new campaign changes.
TEST(Seed, FollowsFromSeedShardAndWorkerAlone) {
  EXPECT_EQ(worker_seed(5, Shard{3, 8}, 2), worker_seed(5, Shard{3, 16}, 2));
  std::set<std::uint64_t> seeds;
  for (std::uint64_t seed = 0; seed < 100; ++seed) seeds.insert(worker_seed(seed, Shard{0, 4}, 0));
  EXPECT_EQ(seeds.size(), 100u);
}

}  // namespace
}  // namespace prelaunch::fuzz
