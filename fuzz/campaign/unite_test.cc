#include "fuzz/campaign/unite.h"

#include <gtest/gtest.h>

#include "fuzz/campaign/temp_folder.h"

namespace prelaunch::fuzz {
namespace {

Finding finding(const std::string& id, const std::string& detail = "") {
  return {.id = id, .reason = "r", .rule = "", .detail = detail, .call = "c", .replay = "p"};
}

TargetResult target(Profile profile, std::uint64_t executions) {
  TargetResult out;
  out.op = &pack();
  out.profile = profile;
  out.stats = {.executions = executions,
               .accepted = 1,
               .rejected = 2,
               .executed = 3,
               .valid = 4,
               .violations = 6,
               .fired = {}};
  out.stats.fired[0] = 5;
  out.seconds = 1.5;
  out.corpus = 7;
  out.features = executions;
  return out;
}

MergedFolder shard(unsigned index, unsigned count) {
  MergedFolder out;
  out.path = "/runs/s" + std::to_string(index);
  out.name = "s" + std::to_string(index);
  out.told = true;
  out.result.shard = Shard{index, count};
  out.result.provenance.commit = "abc";
  out.result.provenance.machine = "lab" + std::to_string(index);
  out.result.provenance.cpu = "cpu";
  out.result.provenance.started = "2026-11-30T02:15:0" + std::to_string(9 - index) + "Z";
  out.result.provenance.cores = 4 + index;
  out.result.seed = 7;
  out.result.seconds = 10 + index;
  out.result.targets = {target(Profile::kValidate, 100 + index),
                        target(Profile::kExecute, 10 + index)};
  return out;
}

std::vector<MergedFolder> shards(unsigned count) {
  std::vector<MergedFolder> out;
  for (unsigned index = 0; index < count; ++index) out.push_back(shard(index, count));
  return out;
}

using Reasons = std::vector<std::string>;

TEST(Unite, SumsWhatWasCounted) {
  const CampaignResult result = unite(shards(3));
  EXPECT_EQ(result.verdict(), "clean");
  ASSERT_EQ(result.targets.size(), 2u);
  EXPECT_EQ(result.targets[0].profile, Profile::kValidate);
  EXPECT_EQ(result.targets[0].stats.executions, 303u);
  EXPECT_EQ(result.targets[1].stats.executions, 33u);
  EXPECT_EQ(result.targets[1].stats.accepted, 3u);
  EXPECT_EQ(result.targets[1].stats.rejected, 6u);
  EXPECT_EQ(result.targets[1].stats.executed, 9u);
  EXPECT_EQ(result.targets[1].stats.valid, 12u);
  EXPECT_EQ(result.targets[1].stats.violations, 18u);
  EXPECT_EQ(result.targets[1].stats.fired[0], 15u);
  EXPECT_EQ(result.targets[1].seconds, 4.5);
  EXPECT_EQ(result.targets[1].features, 12u);
  EXPECT_EQ(result.targets[1].corpus, 0u);
}

TEST(Unite, ItsContextIsTheShards) {
  std::vector<MergedFolder> folders = shards(3);
  folders[1].result.provenance.dirty = true;
  const CampaignResult result = unite(folders);
  EXPECT_EQ(result.merged, (Reasons{"s0", "s1", "s2"}));
  EXPECT_EQ(result.shard, std::nullopt);
  EXPECT_TRUE(result.ended);
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(result.seed, 7u);
  EXPECT_EQ(result.seconds, 12);
  EXPECT_EQ(result.provenance.commit, "abc");
  EXPECT_TRUE(result.provenance.dirty);
  EXPECT_EQ(result.provenance.machine, "lab0, lab1, lab2");
  EXPECT_EQ(result.provenance.cpu, "cpu");
  EXPECT_EQ(result.provenance.cores, 6u);
  EXPECT_EQ(result.provenance.started, "2026-11-30T02:15:07Z");
  EXPECT_EQ(unite(shards(6)).provenance.machine, "lab0, lab1, lab2, lab3 and 2 more");
}

TEST(Unite, FindingsAreUnitedById) {
  std::vector<MergedFolder> folders = shards(2);
  folders[0].result.targets[1].findings = {finding("a", "first")};
  folders[1].result.targets[1].findings = {finding("a", "second"), finding("b")};
  const CampaignResult result = unite(folders);
  ASSERT_EQ(result.targets[1].findings.size(), 2u);
  EXPECT_EQ(result.targets[1].findings[0].detail, "first");
  EXPECT_EQ(result.targets[1].findings[1].id, "b");
  EXPECT_EQ(result.verdict(), "findings");
}

TEST(Unite, ReasonsNameTheirFolder) {
  std::vector<MergedFolder> folders = shards(2);
  folders[0].result.untrusted = {"x", "y"};
  folders[1].result.untrusted = {std::string(kNotEnded)};
  folders[1].result.ended = false;
  folders[1].result.interrupted = true;
  const CampaignResult result = unite(folders);
  EXPECT_EQ(result.untrusted, (Reasons{"s0: x", "s0: y", "s1: the campaign did not end"}));
  EXPECT_EQ(result.exit_code(), 3) << "a merge is not what was interrupted";
}

TEST(Unite, AFolderThatTellsNothingIsAReason) {
  std::vector<MergedFolder> folders = shards(2);
  folders[1] = {.path = "/runs/s1", .name = "s1", .told = false, .result = {}};
  EXPECT_EQ(unite(folders).untrusted,
            (Reasons{"s1: campaign.json is missing", "shard 1/2 is missing"}));
  EXPECT_EQ(unite({folders[1]}).untrusted, Reasons{"s1: campaign.json is missing"});
}

TEST(Unite, MissingShardsAreNamed) {
  std::vector<MergedFolder> folders = shards(4);
  folders.erase(folders.begin() + 2);
  EXPECT_EQ(unite(folders).untrusted, Reasons{"shard 2/4 is missing"});
  EXPECT_EQ(unite({shard(1, kMaxShards)}).untrusted,
            Reasons{"shards 0/4096, 2/4096, 3/4096, 4/4096 and 4091 more are missing"});
}

TEST(Unite, ShardsOfDifferentCampaignsAreAReason) {
  std::vector<MergedFolder> folders = shards(2);
  folders[1].result.provenance.commit = "def";
  EXPECT_EQ(unite(folders).untrusted, Reasons{"the campaigns are of different commits: abc, def"});
  folders = shards(2);
  folders[1].result.seed = 8;
  EXPECT_EQ(unite(folders).untrusted, Reasons{"the campaigns are of different seeds: 7, 8"});
  EXPECT_EQ(unite({shard(0, 2), shard(1, 3)}).untrusted,
            (Reasons{"the shards are of different campaigns: of 2 and of 3 shards",
                     "shard 1/2 is missing", "shards 0/3, 2/3 are missing"}));
}

TEST(Unite, WholeCampaignsNeedNoOthers) {
  std::vector<MergedFolder> folders = shards(2);
  for (MergedFolder& folder : folders) folder.result.shard.reset();
  EXPECT_EQ(unite(folders).verdict(), "clean");
  EXPECT_NO_THROW(refuse_same_shard(folders));
}

TEST(Unite, TheSameShardTwiceIsRefused) {
  EXPECT_NO_THROW(refuse_same_shard(shards(4)));
  try {
    refuse_same_shard({shard(0, 2), shard(1, 2), shard(0, 2)});
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()),
              "--merge: expected each shard once, got shard 0/2 in /runs/s0 and in /runs/s0");
  }
}

}  // namespace
}  // namespace prelaunch::fuzz
