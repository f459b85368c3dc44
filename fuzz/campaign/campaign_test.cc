// Campaigns over small scripts that play the fuzzers.
#include "fuzz/campaign/campaign.h"

#include <gtest/gtest.h>

#include "fuzz/campaign/campaign_read.h"
#include "fuzz/campaign/temp_folder.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;

// Finds its arguments, counts its starts in ./<name>.starts, and reports two accepted and three
// rejected calls of which one was executed.
constexpr std::string_view kPrelude = R"sh(#!/bin/sh
[ -z "$PRELAUNCH_SELF_TEST" ] || { echo 'prelaunch self-test passed'; exit 0; }
echo 'INFO: Loaded 1 modules   (9 inline 8-bit counters): 9 [0x1, 0xa),'
for word; do
  case $word in
    -artifact_prefix=*) prefix=${word#*=} ;;
    -seed=*) seed=$word ;;
    -*) ;;
    *) [ "${work:-}" ] && seeds="${seeds:-} $word" || work=$word ;;
  esac
done
echo "$work$seeds" > "$0.folders"
echo "$seed" >> "$0.starts"
starts=$(wc -l < "$0.starts")
stats() { printf '\005\0\0\0\0\0\0\0\002\0\0\0\0\0\0\0\003\0\0\0\0\0\0\0\001' 1<> "$PRELAUNCH_STATS"; }
crash() { # what, detail
  printf '\001\002\003' > "$prefix-$1-$starts"
  echo "prelaunch finding: op=ulysses_pack reason=wrong_result rule=none detail=$2"
  kill -ABRT $$
}
echo "#5 DONE cov: 1 ft: 7 corp: 3/9b"
)sh";

class CampaignTest : public testing::Test {
 protected:
  CampaignTest() {
    store("accept-small_vector");
    store("qkv.cuda-broken");
    fs::create_directories(folder_ / "corpus/ulysses_pack/regression");
    script("validate", "stats");
    script("execute", "stats");
  }

  void store(const std::string& seed) {
    folder_.write("corpus/ulysses_pack/seed/" + seed + ".json", seed_text(seed));
  }
  void script(const std::string& profile, const std::string& body) {
    const fs::path path = folder_.write(name(profile), std::string(kPrelude) + body + "\n");
    fs::permissions(path, fs::perms::owner_all);
  }
  static std::string name(const std::string& profile) {
    return "ulysses_pack_" + profile + "_fuzzer";
  }
  CampaignResult run(std::optional<Shard> shard = std::nullopt) {
    return run_campaign({.budget = std::chrono::seconds{50},
                         .jobs = 2,
                         .ops = {&pack()},
                         .seed = 1,
                         .shard = shard,
                         .out = folder_ / "out",
                         .root = folder_.path(),
                         .programs = folder_.path()});
  }
  std::vector<std::string> starts(const std::string& profile) {
    std::istringstream in(read_file(folder_ / (name(profile) + ".starts"), 1 << 20));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  TempFolder folder_;
};

bool says(const CampaignResult& result, std::string_view text) {
  for (const std::string& reason : result.untrusted) {
    if (reason.find(text) != reason.npos) return true;
  }
  return false;
}

TEST_F(CampaignTest, IsCleanWhenNothingIsFound) {
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 0) << (result.untrusted.empty() ? "" : result.untrusted[0]);
  ASSERT_EQ(result.targets.size(), 2u);
  for (const TargetResult& target : result.targets) {
    EXPECT_EQ(target.stats.executions, 5u);
    EXPECT_EQ(target.stats.accepted, 2u);
    EXPECT_EQ(target.stats.rejected, 3u);
    EXPECT_EQ(target.stats.executed, 1u);
    EXPECT_EQ(target.features, 7u);
    EXPECT_EQ(target.corpus, 3u);
  }
  EXPECT_TRUE(fs::exists(folder_ / "corpus/.work/ulysses_pack_execute"));
  EXPECT_FALSE(fs::exists(folder_ / "out/.parts"));
}

TEST_F(CampaignTest, GoesOnAfterAFinding) {
  script("execute", "[ $starts -gt 2 ] || crash crash \"out[$starts] is not q[0]\"\nstats");
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 1);
  const TargetResult& target = result.targets[1];
  ASSERT_EQ(target.findings.size(), 1u) << "the digits do not make another finding";
  EXPECT_EQ(target.findings[0].reason, "wrong_result");
  EXPECT_EQ(target.findings[0].detail, "out[1] is not q[0]");
  EXPECT_TRUE(fs::exists(folder_ / "out" / target.findings[0].call));
  EXPECT_EQ(target.stats.executions, 5u);
  const std::vector<std::string> seeds = starts("execute");
  ASSERT_EQ(seeds.size(), 3u);
  EXPECT_NE(seeds[0], seeds[1]) << "the same seed would find the same again";
  EXPECT_EQ(starts("validate").size(), 1u);
}

TEST_F(CampaignTest, GivesUpATargetThatKeepsEnding) {
  script("execute", "stats; crash crash \"always\"");
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 1);
  EXPECT_EQ(starts("execute").size(), 21u);
}

TEST_F(CampaignTest, DistrustsATargetThatEndsWithoutAnInput) {
  script("execute", "stats; exit 9");
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_TRUE(says(result, "ulysses_pack execute ended with exit code 9 and left no input"));
  EXPECT_EQ(starts("execute").size(), 1u);
}

TEST_F(CampaignTest, DistrustsATargetThatExecutesNothing) {
  script("validate", "exit 0");
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_TRUE(says(result, "ulysses_pack_validate executed 0 accepted and 0 rejected calls"));
}

TEST_F(CampaignTest, DistrustsATargetThatRunsNoKernel) {
  script("execute", "stats; printf '\\0' | dd of=\"$PRELAUNCH_STATS\" bs=1 seek=24 conv=notrunc");
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_TRUE(says(result, "ulysses_pack_execute ran no kernel"));
}

TEST_F(CampaignTest, DistrustsAMissingTarget) {
  fs::remove(folder_ / name("execute"));
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_TRUE(says(result, "ulysses_pack_execute_fuzzer is missing"));
}

TEST_F(CampaignTest, DistrustsAnEmptyCorpus) {
  fs::remove_all(folder_ / "corpus/ulysses_pack/seed");
  fs::create_directories(folder_ / "corpus/ulysses_pack/seed");
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_TRUE(says(result, "the corpus of ulysses_pack is empty"));
}

TEST_F(CampaignTest, DistrustsAMissingCorpus) {
  fs::remove_all(folder_ / "corpus");
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_TRUE(says(result, "the corpus cannot be read: "));
}

TEST_F(CampaignTest, DistrustsACorpusThatCannotBeRead) {
  folder_.write("corpus/ulysses_pack/seed/zzz.json", "{");
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_TRUE(says(result, "zzz.json: parse error"));
}

TEST_F(CampaignTest, ReportsAStoredCallThatIsNotJudgedAsExpected) {
  std::string text = seed_text("accept-small_vector");
  text.replace(text.find("\"cuda:0\""), 8, "\"cpu\"");
  folder_.write("corpus/ulysses_pack/regression/of mine.json", text);
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 1);
  ASSERT_EQ(result.targets[1].findings.size(), 1u);
  const Finding& finding = result.targets[1].findings[0];
  EXPECT_TRUE(finding.id.starts_with("corpus-ulysses_pack-execute-rejected_good_call-"));
  EXPECT_TRUE(finding.detail.starts_with("stored call of mine: rejected by ulysses_pack."));
  EXPECT_EQ(finding.replay, "./prelaunch replay 'corpus/ulysses_pack/regression/of mine.json'");
}

TEST_F(CampaignTest, ItsFileSaysFromTheStartThatItHasNotEnded) {
  const std::string copy = "cp '" + (folder_ / "out/campaign.json").string() + "' '";
  script("validate", "stats");
  script("execute", copy + (folder_ / "start.json").string() + "'\nstats\nsleep 2\n" + copy +
                        (folder_ / "later.json").string() + "'");
  run();
  for (const char* name : {"start.json", "later.json"}) {
    const CampaignResult then = read_campaign(folder_ / name);
    EXPECT_FALSE(then.ended) << name;
    EXPECT_EQ(then.verdict(), "untrusted") << name;
    EXPECT_EQ(then.untrusted, std::vector<std::string>{"the campaign did not end"}) << name;
  }
  EXPECT_EQ(read_campaign(folder_ / "later.json").targets[1].stats.accepted, 2u);
  const CampaignResult last = read_campaign(folder_ / "out/campaign.json");
  EXPECT_TRUE(last.ended);
  EXPECT_EQ(last.verdict(), "clean");
  EXPECT_EQ(last.targets[1].stats.accepted, 2u);
}

// A campaign that is killed right after a finding has it in its file.
TEST_F(CampaignTest, AFindingIsInItsFileAtOnce) {
  script("execute", "[ $starts -gt 1 ] || crash crash wrong\nsleep 0.5\nstats\ncp '" +
                        (folder_ / "out/campaign.json").string() + "' '" +
                        (folder_ / "then.json").string() + "'");
  const CampaignResult result = run();
  const CampaignResult then = read_campaign(folder_ / "then.json");
  ASSERT_EQ(then.targets[1].findings.size(), 1u);
  EXPECT_EQ(then.targets[1].findings[0].id, result.targets[1].findings[0].id);
}

TEST_F(CampaignTest, AShardKeepsItsInputsInItsOwnFolder) {
  const fs::path out = folder_ / "out";
  run(Shard{.index = 0, .count = 2});
  EXPECT_FALSE(fs::exists(folder_ / "corpus/.work")) << "the checkout is only read";
  const auto folders = [&] { return read_file(folder_ / (name("execute") + ".folders"), 4096); };
  const std::string own = (out / "corpus/ulysses_pack_execute").string();
  EXPECT_EQ(folders(), own + " " + (out / ".parts/ulysses_pack").string() + "\n");
  const fs::path work = folder_ / "corpus/.work/ulysses_pack_execute";
  folder_.write("corpus/.work/ulysses_pack_execute/input", "x");
  const CampaignResult result = run(Shard{.index = 0, .count = 2});
  EXPECT_EQ(folders(),
            own + " " + (out / ".parts/ulysses_pack").string() + " " + work.string() + "\n");
  EXPECT_EQ(result.shard, (Shard{.index = 0, .count = 2}));
  EXPECT_EQ(read_campaign(out / "campaign.json").shard, result.shard);
}

TEST_F(CampaignTest, ShardsReplayEachStoredCallOnce) {
  for (const char* bad : {"a", "b", "c"}) {
    std::string text = seed_text("accept-small_vector");
    text.replace(text.find("\"cuda:0\""), 8, "\"cpu\"");
    folder_.write(std::string("corpus/ulysses_pack/regression/") + bad + ".json", text);
  }
  // In order: regression/a, b, c, seed/accept-.., seed/qkv..
  const auto found = [this](unsigned index, unsigned count) {
    const std::vector<Finding> all = run(Shard{index, count}).targets[1].findings;
    return all.empty() ? std::string() : all[0].call.substr(all[0].call.rfind('/') + 1);
  };
  EXPECT_EQ(found(0, 5), "a.json");
  EXPECT_EQ(found(1, 5), "b.json");
  EXPECT_EQ(found(2, 5), "c.json");
  EXPECT_EQ(found(3, 5), "");
  EXPECT_EQ(found(1, 2), "b.json");
  EXPECT_EQ(run(Shard{7, 8}).exit_code(), 0) << "a share may be empty";
}

TEST_F(CampaignTest, SeedsAreTodaysUnlessItIsAShard) {
  run();
  EXPECT_EQ(starts("validate"), std::vector<std::string>{"-seed=1001"});
  EXPECT_EQ(starts("execute"), std::vector<std::string>{"-seed=1051"});
  for (const unsigned index : {0u, 1u}) run(Shard{index, 2});
  for (const char* profile : {"validate", "execute"}) {
    const std::vector<std::string> seeds = starts(profile);
    ASSERT_EQ(seeds.size(), 3u);
    EXPECT_NE(seeds[1], seeds[0]);
    EXPECT_NE(seeds[2], seeds[1]);
  }
}

TEST_F(CampaignTest, RefusesAFolderThatCannotBeWritten) {
  folder_.write("out", "a file");
  EXPECT_THROW(run(), FileError);
}

}  // namespace
}  // namespace prelaunch::fuzz
