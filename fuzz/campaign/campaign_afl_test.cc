// Campaigns over small scripts that play afl-fuzz and the targets.
#include <gtest/gtest.h>
#include <stdlib.h>

#include "fuzz/campaign/afl_text.h"
#include "fuzz/campaign/campaign_read.h"
#include "fuzz/campaign/engine_afl.h"
#include "fuzz/campaign/temp_folder.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;

// Finds its arguments, makes its folder, counts its starts beside the target, and reports two
// accepted and three rejected calls of which one was executed.
constexpr std::string_view kPrelude = R"sh(#!/bin/sh
while [ "$1" != -- ]; do
  case $1 in
    -i) seeds=$2 ;;
    -o) out=$2/ ;;
    -S) out=$out$2 ;;
  esac
  shift 2
done
target=$2
mkdir -p "$out/queue" "$out/crashes" "$out/hangs"
echo start >> "$target.starts"
starts=$(wc -l < "$target.starts")
printf 'edges_found       : 7\ncorpus_count      : 3\n' > "$out/fuzzer_stats"
printf '\005\0\0\0\0\0\0\0\002\0\0\0\0\0\0\0\003\0\0\0\0\0\0\0\001' 1<> "$PRELAUNCH_STATS"
case $target in *_validate_fuzzer) exit 0 ;; esac
)sh";

// Which inputs end the target.
constexpr std::string_view kTarget = R"sh(#!/bin/sh
[ -z "$PRELAUNCH_SELF_TEST" ] || { echo 'prelaunch self-test passed'; exit 0; }
grep -q bad "$1" || exit 0
echo 'prelaunch finding: op=ulysses_pack reason=wrong_result rule=none detail=out[0] is not q[0]'
kill -ABRT $$
)sh";

class CampaignAflTest : public testing::Test {
 protected:
  CampaignAflTest() : path_(std::getenv("PATH")) {
    for (const char* seed : {"accept-small_vector", "qkv.cuda-broken"}) {
      folder_.write(std::string("corpus/ulysses_pack/seed/") + seed + ".json", seed_text(seed));
    }
    for (const char* profile : {"validate", "execute"}) script(target(profile), kTarget);
    setenv("PATH", ((folder_ / "bin").string() + ":" + path_).c_str(), 1);
  }
  ~CampaignAflTest() override { setenv("PATH", path_.c_str(), 1); }

  static std::string target(const std::string& profile) {
    return "ulysses_pack_" + profile + "_fuzzer";
  }
  void script(const std::string& name, std::string_view text) {
    fs::permissions(folder_.write(name, text), fs::perms::owner_all);
  }
  // What afl-fuzz does for the execute target.
  void afl(const std::string& body) { script("bin/afl-fuzz", std::string(kPrelude) + body + "\n"); }
  CampaignResult run() {
    return run_campaign({.budget = std::chrono::seconds{50},
                         .jobs = 2,
                         .ops = {&pack()},
                         .engine = EngineKind::kAfl,
                         .seed = 1,
                         .out = folder_ / "out",
                         .root = folder_.path(),
                         .programs = folder_.path()});
  }
  std::vector<std::string> names_in(const std::string& folder) const {
    std::vector<std::string> out;
    for (const fs::path& path : list_files(folder_ / folder, "")) out.push_back(path.filename());
    return out;
  }
  std::vector<std::string> work_corpus() const {
    return names_in("corpus/.work/ulysses_pack_execute");
  }
  std::string own_folder() const { return "corpus/.work/.afl/ulysses_pack_execute/0/"; }
  std::size_t starts() const {
    return fs::file_size(folder_ / (target("execute") + ".starts")) / std::string("start\n").size();
  }

  const std::string path_;
  TempFolder folder_;
};

bool says(const CampaignResult& result, std::string_view text) {
  for (const std::string& reason : result.untrusted) {
    if (reason.find(text) != reason.npos) return true;
  }
  return false;
}

TEST_F(CampaignAflTest, CountsAreThoseOfTheTargetAndOfTheEngine) {
  afl("");
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 0) << (result.untrusted.empty() ? "" : result.untrusted[0]);
  ASSERT_EQ(result.targets.size(), 2u);
  for (const TargetResult& target : read_campaign(folder_ / "out/campaign.json").targets) {
    EXPECT_EQ(target.engine, EngineKind::kAfl);
    EXPECT_EQ(target.stats.accepted, 2u);
    EXPECT_EQ(target.stats.rejected, 3u);
    EXPECT_EQ(target.features, 7u);
    EXPECT_EQ(target.corpus, 3u);
  }
}

TEST_F(CampaignAflTest, WhatIsFoundEndsInTheWorkCorpusUnderItsSha1) {
  folder_.write("corpus/.work/ulysses_pack_execute/" + content_name("before"), "before");
  afl(R"sh(printf found > "$out/queue/id:000002,src:000000,time:1,execs:9,op:havoc,rep:2"
printf seed > "$out/queue/id:000000,time:0,execs:0,orig:0"
head -c 1025 /dev/zero > "$out/queue/id:000003,src:000000"
ln -s "$target" "$out/queue/id:000004,src:000000")sh");
  EXPECT_EQ(run().exit_code(), 0);
  std::vector<std::string> expected = {content_name("before"), content_name("found")};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(work_corpus(), expected);
  EXPECT_EQ(read_file(folder_ / "corpus/.work/ulysses_pack_execute" / content_name("found"), 99),
            "found");
  EXPECT_FALSE(fs::exists(folder_ / own_folder())) << "nothing is left of its own folder";
}

TEST_F(CampaignAflTest, ItStartsFromStoredCallsAndTheWorkCorpus) {
  folder_.write("corpus/.work/ulysses_pack_execute/before", "before");
  folder_.write("corpus/.work/ulysses_pack_execute/large", std::string(1025, 'x'));
  afl(R"sh(ls "$seeds" > "$target.seeds")sh");
  EXPECT_EQ(run().exit_code(), 0);
  const std::string seeds = read_file(folder_ / (target("execute") + ".seeds"), 1 << 16);
  EXPECT_NE(seeds.find(content_name("before")), seeds.npos);
  EXPECT_GT(std::count(seeds.begin(), seeds.end(), '\n'), 2) << "those of stored calls";
  EXPECT_EQ(seeds.find(content_name(std::string(1025, 'x'))), seeds.npos);
}

TEST_F(CampaignAflTest, WhatItsFolderStillHoldsIsPickedUp) {
  folder_.write(own_folder() + "queue/id:000002,src:000000", "found");
  folder_.write("corpus/.work/.afl/ulysses_pack_execute/5/queue/id:000002,src:000000", "too");
  folder_.write(own_folder() + "crashes/id:000000,sig:06,src:000000", "bad");
  afl("");
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 1);
  EXPECT_EQ(result.targets[1].findings.size(), 1u);
  std::vector<std::string> expected = {content_name("found"), content_name("too")};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(work_corpus(), expected);
}

TEST_F(CampaignAflTest, AnInputThatEndsTheTargetIsRunAgainToLearnWhy) {
  afl(R"sh(printf bad > "$out/crashes/id:000000,sig:06,src:000000"
printf bad2 > "$out/hangs/id:000000,src:000000"
echo text > "$out/crashes/README.txt")sh");
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 1) << (result.untrusted.empty() ? "" : result.untrusted[0]);
  ASSERT_EQ(result.targets[1].findings.size(), 1u) << "both end it for the same reason";
  const Finding& finding = result.targets[1].findings[0];
  EXPECT_EQ(finding.reason, "wrong_result");
  EXPECT_EQ(finding.detail, "out[0] is not q[0]");
  EXPECT_EQ(names_in("out/findings"), std::vector<std::string>{finding.id + ".json"});
  EXPECT_EQ(starts(), 1u) << "it goes on by itself";
}

TEST_F(CampaignAflTest, DistrustsAnInputThatEndsNormallyWhenItIsRunAgain) {
  afl(R"sh(printf good > "$out/crashes/id:000000,sig:06,src:000000"
printf good2 > "$out/crashes/id:000001,sig:06,src:000000")sh");
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_EQ(result.untrusted.size(), 1u);
  EXPECT_TRUE(result.targets[1].findings.empty());
  EXPECT_TRUE(says(result, "ulysses_pack execute: an input ended it and, run again, did not"));
  EXPECT_EQ(names_in("out/findings"), std::vector<std::string>{});
  const fs::path kept =
      folder_ / ("out/logs/ulysses_pack_execute-0.crash-" + content_name("good") + ".input");
  EXPECT_EQ(read_file(kept, 99), "good");
}

TEST_F(CampaignAflTest, ASeedThatEndsTheTargetIsAFindingAndLeftOutWhenItStartsAgain) {
  folder_.write("corpus/.work/ulysses_pack_execute/old", "bad");
  afl(R"sh(ls "$seeds" > "$target.seeds"
[ $starts -gt 1 ] || {
  echo "Attempting dry run with 'id:000000,orig:)sh" +
      content_name("bad") + R"sh('..."
  echo 'Test case results in a timeout'
  exit 1
})sh");
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 1) << (result.untrusted.empty() ? "" : result.untrusted[0]);
  EXPECT_EQ(result.targets[1].findings.size(), 1u);
  EXPECT_EQ(starts(), 2u);
  const std::string seeds = read_file(folder_ / (target("execute") + ".seeds"), 1 << 16);
  EXPECT_EQ(seeds.find(content_name("bad")), seeds.npos);
}

TEST_F(CampaignAflTest, GivesUpATargetThatKeepsEnding) {
  afl(R"sh(for i in 1 2 3 4 5 6 7 8 9; do
  for j in 1 2 3; do
    touch -d '1 minute ago' "$out/old"
    printf "bad $i $j" > "$out/new" && touch -r "$out/old" "$out/new"
    mv "$out/new" "$out/crashes/id:00000$i,$j"
  done
done
trap 'exit 0' INT
while :; do sleep 0.1; done)sh");
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 1) << (result.untrusted.empty() ? "" : result.untrusted[0]);
  EXPECT_EQ(starts(), 1u);
  std::size_t reruns = 0;
  for (const std::string& name : names_in("out/logs")) reruns += name.find("crash-") != name.npos;
  EXPECT_EQ(reruns, 21u);
}

TEST_F(CampaignAflTest, DistrustsAnEngineThatEndsWithoutAnInput) {
  afl("exit 1");
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_TRUE(says(result, "ulysses_pack execute ended with exit code 1 and left no input"));
  EXPECT_GT(result.targets[0].stats.accepted, 0u) << "the other target is fuzzed";
}

TEST_F(CampaignAflTest, DistrustsAMissingTarget) {
  afl("");
  fs::remove(folder_ / target("execute"));
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_TRUE(
      says(result, "ulysses_pack_execute_fuzzer is missing: ./prelaunch fuzz --engine afl"));
  EXPECT_GT(result.targets[0].stats.accepted, 0u) << "the other target is fuzzed";
}

TEST_F(CampaignAflTest, DistrustsAMissingEngine) {
  setenv("PATH", (folder_ / "none").c_str(), 1);
  const CampaignResult result = run();
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_TRUE(says(result, "afl-fuzz is missing: install Debian's package afl++"));
}

}  // namespace
}  // namespace prelaunch::fuzz
