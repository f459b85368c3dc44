// Merges over small scripts that play the fuzzers.
#include "fuzz/campaign/merge.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include "fuzz/campaign/campaign_read.h"
#include "fuzz/campaign/fuzzer.h"
#include "fuzz/campaign/join.h"
#include "fuzz/campaign/temp_folder.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;

// Takes each input that begins with 'n', like libFuzzer under the name of its content.
constexpr std::string_view kTakesN = R"sh(#!/bin/sh
echo "$@" > arguments
[ "$(ls base | wc -l)" = "$(ls base/* 2>/dev/null | wc -l)" ] || exit 9
for input in new/*; do
  case $(cat "$input") in n*) cp "$input" "base/$(sha1sum <"$input" | cut -c1-40)" ;; esac
done
)sh";

class MergeTest : public testing::Test {
 protected:
  MergeTest() {
    script("validate", std::string(kTakesN));
    script("execute", std::string(kTakesN));
    for (unsigned index : {0u, 1u}) shard(index);
  }

  void script(const std::string& profile, const std::string& text) {
    fs::permissions(folder_.write("programs/ulysses_pack_" + profile + "_fuzzer", text),
                    fs::perms::owner_all);
  }
  void shard(unsigned index) {
    CampaignResult result;
    result.shard = Shard{index, 2};
    TargetResult& target = result.targets.emplace_back();
    target.op = &pack();
    target.profile = Profile::kExecute;
    target.stats.executions = 10 + index;
    folder_.write(name(index) + "/campaign.json", campaign_json(result));
  }
  static std::string name(unsigned index) { return "shard " + std::to_string(index); }
  void input(unsigned index, const std::string& file, const std::string& bytes) {
    folder_.write(name(index) + "/corpus/ulysses_pack_execute/" + file, bytes);
  }
  MergeOptions options() {
    return {.folders = {folder_ / name(0), folder_ / name(1)},
            .out = folder_ / "the $out",
            .root = folder_.path(),
            .programs = folder_ / "programs"};
  }
  // A process holds the folder that it wrote to: another merge needs another one.
  CampaignResult merge(const std::string& out = "the $out") {
    MergeOptions to = options();
    to.out = folder_ / out;
    return merge_campaigns(to);
  }
  std::vector<fs::path> work() {
    std::error_code ignored;
    const fs::path folder = folder_ / "corpus/.work/ulysses_pack_execute";
    return fs::exists(folder, ignored) ? list_files(folder, "") : std::vector<fs::path>{};
  }
  std::string error_of(const MergeOptions& options) {
    try {
      merge_campaigns(options);
    } catch (const FileError& error) {
      return error.what();
    }
    return "no error";
  }

  TempFolder folder_;
};

TEST_F(MergeTest, WritesOneCampaign) {
  EXPECT_EQ(merge().exit_code(), 0);
  const CampaignResult result = read_campaign(folder_ / "the $out/campaign.json");
  EXPECT_EQ(result.targets[0].stats.executions, 21u);
  EXPECT_EQ(result.merged, (std::vector<std::string>{"shard 0", "shard 1"}));
  EXPECT_TRUE(result.ended);
  EXPECT_FALSE(fs::exists(folder_ / "the $out/.parts"));
  EXPECT_FALSE(fs::exists(folder_ / "corpus")) << "nothing was gained";
}

TEST_F(MergeTest, WhatAddsCoverageLandsInTheWorkCorpus) {
  folder_.write("corpus/.work/ulysses_pack_execute/old", "nothing new");
  input(0, "a", "n1");
  input(0, "b", "old news");
  input(1, "a", "n2");
  input(1, "c", "n1");
  const CampaignResult result = merge();
  EXPECT_EQ(result.exit_code(), 0) << result.untrusted[0];
  ASSERT_EQ(work().size(), 3u);
  EXPECT_EQ(result.targets[0].corpus, 3u);
  std::set<std::string> contents;
  for (const fs::path& path : work()) contents.insert(read_file(path, 100));
  EXPECT_EQ(contents, (std::set<std::string>{"n1", "n2", "nothing new"}));
}

TEST_F(MergeTest, WhatNoFuzzerMadeIsIgnored) {
  input(0, "good", "n1");
  input(0, "largest", "n" + std::string(kMaxInputBytes - 1, 'x'));
  input(0, "large", "n" + std::string(kMaxInputBytes, 'x'));
  folder_.write("secret", "n secret");
  const fs::path corpus = folder_ / (name(0) + "/corpus/ulysses_pack_execute");
  fs::create_symlink(folder_ / "secret", corpus / "link");
  fs::create_directory(corpus / "folder");
  mkfifo((corpus / "pipe").c_str(), 0600);
  EXPECT_EQ(merge().exit_code(), 0);
  EXPECT_EQ(work().size(), 2u);
}

TEST_F(MergeTest, AFolderWithoutItsFileHasACorpus) {
  fs::remove(folder_ / (name(1) + "/campaign.json"));
  input(1, "a", "n1");
  const CampaignResult result = merge();
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_EQ(result.untrusted[0], "shard 1: campaign.json is missing");
  EXPECT_EQ(work().size(), 1u);
  fs::remove(folder_ / (name(0) + "/campaign.json"));
  EXPECT_EQ(merge("again").targets.size(), 1u) << "a target that only has a corpus";
}

TEST_F(MergeTest, ATargetThatEndsOnAnInputIsAFinding) {
  script("execute", R"sh(#!/bin/sh
printf '\001' > ended/crash-1; printf '\002' > ended/crash-2
echo "prelaunch finding: op=ulysses_pack reason=wrong_result rule=none detail=one"
echo "artifact_prefix='ended/'; Test unit written to ended/crash-1"
echo "prelaunch finding: op=ulysses_pack reason=wrong_rule rule=none detail=two"
echo "artifact_prefix='ended/'; Test unit written to ended/crash-2"
)sh");
  input(0, "a", "n1");
  const CampaignResult result = merge();
  EXPECT_EQ(result.exit_code(), 1);
  ASSERT_EQ(result.targets[0].findings.size(), 2u);
  EXPECT_EQ(result.targets[0].findings[0].detail, "one");
  EXPECT_EQ(result.targets[0].findings[1].detail, "two");
  EXPECT_TRUE(fs::exists(folder_ / "the $out" / result.targets[0].findings[1].call));
}

TEST_F(MergeTest, AMergeThatFailsOrIsMissingIsAReason) {
  input(0, "a", "n1");
  script("execute", "#!/bin/sh\ncp new/* base\nexit 9\n");
  EXPECT_EQ(merge().untrusted,
            std::vector<std::string>{"joining the corpora of ulysses_pack_execute ended with exit "
                                     "code 9: see logs/merge-ulysses_pack_execute.log"});
  fs::remove(folder_ / "programs/ulysses_pack_execute_fuzzer");
  EXPECT_EQ(merge("again").untrusted,
            std::vector<std::string>{"ulysses_pack_execute_fuzzer is missing"});
  EXPECT_TRUE(work().empty());
}

TEST_F(MergeTest, AnInterruptWritesNothing) {
  script("execute",
         "#!/bin/sh\ncp new/* base\necho > started\nsleep 1000 &\necho $! > child\nwait\n");
  input(0, "a", "n1");
  const fs::path parts = folder_ / "the $out/.parts/ulysses_pack_execute";
  std::string child;
  std::thread interrupter([&] {
    while (!fs::exists(parts / "child") || read_file(parts / "child", 100).empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    child = read_file(parts / "child", 100);
    kill(getpid(), SIGINT);
  });
  const CampaignResult result = merge();
  interrupter.join();
  EXPECT_EQ(result.exit_code(), 130);
  EXPECT_FALSE(fs::exists(folder_ / "the $out/campaign.json"));
  EXPECT_FALSE(fs::exists(folder_ / "the $out/.parts"));
  EXPECT_TRUE(work().empty());
  EXPECT_TRUE(list_files(folder_ / "the $out/findings", "").empty());
  std::ifstream stat("/proc/" + child.substr(0, child.find('\n')) + "/stat");
  std::string pid, command, state = "gone";
  stat >> pid >> command >> state;
  EXPECT_TRUE(state == "gone" || state == "Z") << "a grandchild is left";
}

TEST_F(MergeTest, BadFoldersAreRefusedBeforeAnythingIsWritten) {
  MergeOptions bad = options();
  bad.folders[1] = folder_ / "none";
  EXPECT_EQ(error_of(bad),
            "--merge: expected the folder of a campaign, got " + (folder_ / "none").string());
  bad.folders[1] = folder_ / (name(0) + "/../" + name(0) + "/");
  EXPECT_EQ(error_of(bad).find("--merge: expected each folder once, got "), 0u);
  fs::create_directory(folder_ / "copy");
  fs::copy_file(folder_ / (name(0) + "/campaign.json"), folder_ / "copy/campaign.json");
  bad.folders[1] = folder_ / "copy";
  EXPECT_EQ(error_of(bad).find("--merge: expected each shard once, got shard 0/2 in "), 0u);
  folder_.write("copy/campaign.json", "{");
  EXPECT_EQ(error_of(bad).find((folder_ / "copy/campaign.json").string() + ": "), 0u);
  EXPECT_FALSE(fs::exists(bad.out));
  bad = options();
  bad.out = folder_ / name(0);
  EXPECT_EQ(error_of(bad).find("--out: expected a folder that is not merged, got "), 0u);
  bad.out = folder_ / "secret/out";
  folder_.write("secret", "a file");
  EXPECT_NE(error_of(bad).find("secret/out"), std::string::npos);
}

TEST_F(MergeTest, FoldersOfOneNameAreToldApart) {
  for (const unsigned index : {0u, 1u}) {
    const std::string parent = "night" + std::to_string(index);
    fs::create_directory(folder_ / parent);
    fs::rename(folder_ / name(index), folder_ / (parent + "/run"));
  }
  MergeOptions same = options();
  same.folders = {folder_ / "night0/run/", folder_ / "night1/run"};
  EXPECT_EQ(merge_campaigns(same).merged,
            (std::vector<std::string>{(folder_ / "night0/run").string(),
                                      (folder_ / "night1/run").string()}));
}

// --- a corpus of its own
// --------------------------------------------------------------------------

// Inputs named by their content, as fuzzers name them.
class MinimizeTest : public MergeTest {
 protected:
  MinimizeTest() {
    folder_.write("seeds/1", "seed");
    for (const char* text : {"new", "nothing like it", "old"}) folder_.write(name_of(text), text);
    folder_.write("work/large", std::string(kMaxInputBytes + 1, 'n'));
  }
  static std::string name_of(std::string_view text) {
    if (text == "new") return "work/c2a6b03f190dfb2b4aa91f8af8d477a9bc3401dc";
    if (text == "old") return "work/c00dbbc9dadfbe1e232e93a729dd4752fade0abf";
    return "work/43a19b7c03d96940ba214443b454212dad41a2ce";
  }
  std::optional<Minimized> minimize() {
    return minimize_corpus(folder_ / "programs/ulysses_pack_execute_fuzzer", folder_ / "seeds",
                           folder_ / "work", folder_ / "scratch", folder_ / "log");
  }
};

TEST_F(MinimizeTest, KeepsWhatTheProgramChoosesAndWhatIsNoInput) {
  const auto left = minimize();
  ASSERT_TRUE(left.has_value());
  EXPECT_TRUE(fs::exists(folder_ / name_of("new")));
  EXPECT_FALSE(fs::exists(folder_ / name_of("old")));
  EXPECT_TRUE(fs::exists(folder_ / "work/large"));
  EXPECT_FALSE(fs::exists(folder_ / "scratch"));
}

TEST_F(MinimizeTest, KeepsEverythingWhereTheProgramFails) {
  script("execute", "#!/bin/sh\ncp new/* base; exit 1\n");
  EXPECT_EQ(minimize(), std::nullopt);
  EXPECT_EQ(list_files(folder_ / "work", "").size(), 4u);
}

TEST_F(MinimizeTest, KeepsEverythingWhereAnInputEndsTheProgram) {
  script("execute", "#!/bin/sh\n: >ended/crash-1\n");
  EXPECT_EQ(minimize(), std::nullopt);
  EXPECT_EQ(list_files(folder_ / "work", "").size(), 4u);
}

}  // namespace
}  // namespace prelaunch::fuzz
