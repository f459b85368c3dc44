// prelaunch-nightly with programs that only pretend: shell scripts that note their arguments, write
// what they are told and end as they are told.
#include "reports/nightly.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>

#include "reports/summary.h"
#include "reports/testing.h"

namespace prelaunch::reports {
namespace {

class Nightly : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("clean.json", small_campaign("clean"));
    folder_.write("findings.json", small_campaign("findings", kSmallFinding));
    folder_.write("bench.json", kSmallBench);
    campaign_ends("0");
    bench_ends("0");
    set("PRELAUNCH_REPORT", PRELAUNCH_REPORT_PROGRAM);
  }

  static void set(const char* variable, const std::string& value) {
    ::setenv(variable, value.c_str(), 1);
  }
  void script(const char* variable, const std::string& name, const std::string& body) {
    const std::string path = folder_.write(name, "#!/bin/sh\n" + body);
    ::chmod(path.c_str(), 0700);
    set(variable, path);
  }
  std::string in(const std::string& name) const { return (folder_ / name).string(); }

  void campaign_ends(const std::string& status, const std::string& json = "clean.json") {
    script("PRELAUNCH_CAMPAIGN", "campaign",
           "echo \"$@\" >" + in("campaign.args") + "\n" +
               (json.empty() ? "" : "cp " + in(json) + " " + in("run/campaign.json") + "\n") +
               "exit " + status + "\n");
  }
  void bench_ends(const std::string& status) {
    script("PRELAUNCH_BENCH", "bench",
           "echo \"$@\" >" + in("bench.args") + "\ncp " + in("bench.json") + " " +
               in("run/bench.json") + "\nexit " + status + "\n");
  }
  std::vector<std::string> argv(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {PRELAUNCH_NIGHTLY_PROGRAM, "--out", in("run")});
    return more;
  }
  int night(std::vector<std::string> more = {}) {
    return run_program(folder_, argv(std::move(more)));
  }
  std::string page() const { return folder_.read("run/index.html"); }
  bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  TemporaryFolder folder_;
};

TEST_F(Nightly, PassesOnTheBudgetAndWhatItWasTold) {
  ASSERT_EQ(night({"--budget", "30m", "--jobs", "3", "--ops", "a,b", "--seed", "7"}), 0);
  EXPECT_EQ(folder_.read("campaign.args"),
            "--budget 1740s --jobs 3 --ops a,b --seed 7 --out " + in("run") + "\n");
  EXPECT_EQ(folder_.read("bench.args"),
            "--nightly --budget 60s --out " + in("run/bench.json") + " --ops a,b\n");
}

TEST_F(Nightly, ACleanNightEndsInAShortSummary) {
  ASSERT_EQ(night(), 0);
  const std::string out = folder_.read("out");
  EXPECT_TRUE(has(out, "verdict    clean"));
  EXPECT_TRUE(has(out, "4.4 ns, handwritten 4.0 ns (1.10\u00d7"));
  EXPECT_TRUE(has(out, in("run/index.html")));
  EXPECT_FALSE(has(out, "\x1b")) << "no colours into a file";
  EXPECT_LE(count_lines(out), kMostSummaryLines + 1) << "and that of prelaunch-report";
}

TEST_F(Nightly, AFindingIsShownWithItsReplayCommand) {
  campaign_ends("1", "findings.json");
  EXPECT_EQ(night(), 1);
  EXPECT_TRUE(has(folder_.read("out"), "./prelaunch replay corpus/f1.json"));
}

TEST_F(Nightly, ManyFindingsStayWithinTheSummary) {
  const std::string one =
      std::string(kSmallFinding).substr(1, std::string(kSmallFinding).size() - 2);
  folder_.write("many.json", small_campaign("findings", "[" + one + "," + one + "," + one + "]"));
  campaign_ends("1", "many.json");
  EXPECT_EQ(night(), 1);
  EXPECT_TRUE(has(folder_.read("out"), "findings   3, the first of them:"));
  EXPECT_LE(count_lines(folder_.read("out")), kMostSummaryLines + 1)
      << "and that of prelaunch-report";
}

TEST_F(Nightly, OfSeveralExitCodesTheGravestWins) {
  struct {
    const char *campaign, *json, *bench;
    int expected;
  } const cases[] = {{"0", "clean.json", "1", 1},
                     {"0", "clean.json", "4", 4},
                     {"4", "clean.json", "0", 4},
                     {"4", "clean.json", "1", 1},
                     {"1", "findings.json", "4", 1},
                     {"1", "findings.json", "3", 3},
                     {"3", "clean.json", "1", 3},
                     {"0", "clean.json", "2", 3},
                     {"0", "clean.json", "77", 3},
                     {"0", "findings.json", "0", 1},
                     {"2", "", "0", 2},
                     {"1", "", "0", 3},
                     {"0", "bench.json", "0", 3}};
  for (const auto& [campaign, json, bench, expected] : cases) {
    campaign_ends(campaign, json);
    bench_ends(bench);
    EXPECT_EQ(night(), expected) << campaign << ' ' << json << ' ' << bench;
    // A campaign.json that cannot be read leaves no page, and neither does wrong usage.
    const bool none = std::string(json) == "bench.json" || expected == 2;
    EXPECT_EQ(page().empty(), none) << campaign << ' ' << bench;
  }
}

TEST_F(Nightly, AProgramThatDiesMakesThePageUntrusted) {
  script("PRELAUNCH_BENCH", "bench", "kill -SEGV $$\n");
  EXPECT_EQ(night(), 3);
  EXPECT_TRUE(has(page(), "<h1>Untrusted</h1>"));
  EXPECT_TRUE(has(page(), "prelaunch-bench was killed by signal 11"));
}

TEST_F(Nightly, YesterdaysResultDoesNotStandInForTodays) {
  ASSERT_EQ(night(), 0);
  script("PRELAUNCH_CAMPAIGN", "campaign", "exit 0\n");
  EXPECT_EQ(night(), 3);
  EXPECT_TRUE(has(page(), "no campaign was recorded"));
}

TEST_F(Nightly, AMissingProgramIsFoundBeforeAnythingRuns) {
  set("PRELAUNCH_BENCH", in("absent"));
  EXPECT_EQ(night(), 3);
  EXPECT_TRUE(has(folder_.read("err"), "the result cannot be trusted: prelaunch-bench is missing"));
  ::unsetenv("PRELAUNCH_BENCH");
  EXPECT_EQ(night(), 3);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "campaign.args"));
}

TEST_F(Nightly, AFolderThatCannotBeWrittenIsFoundBeforeAnythingRuns) {
  folder_.write("run", "a file");
  EXPECT_EQ(night(), 2);
  EXPECT_EQ(count_lines(folder_.read("err")), 1U);
  EXPECT_EQ(night({"--budget", "1s"}), 2);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "campaign.args"));
}

TEST_F(Nightly, BadUsageIsOneLine) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--budget", "soon"},
                                               {"--jobs", "0"},
                                               {"--jobs", "-1"},
                                               {"--seed", "-1"},
                                               {"--ops", "a,,b"},
                                               {"--ops", "a;reboot"},
                                               {"--what"},
                                               {"extra"}}) {
    EXPECT_EQ(night(more), 2) << more[0];
    EXPECT_EQ(count_lines(folder_.read("err")), 1U) << folder_.read("err");
  }
}

TEST_F(Nightly, HelpShowsAnExample) {
  EXPECT_EQ(night({"--help"}), 0);
  EXPECT_TRUE(has(folder_.read("out"), "./prelaunch nightly --budget 1h30m"));
}

// Starts a night whose campaign waits for a signal, and returns once it waits.
class InterruptedNightly : public Nightly {
 protected:
  pid_t start(const std::string& on_interrupt) {
    ::mkfifo(in("ready").c_str(), 0600);
    script("PRELAUNCH_CAMPAIGN", "campaign",
           "trap '" + on_interrupt + "' INT TERM\necho >" + in("ready") +
               "\nsleep 1000 & while :; do wait; done\n");
    const pid_t child = start_program(folder_, argv());
    std::ifstream(in("ready")).get();  // blocks until the script gets there
    return child;
  }
};

TEST_F(InterruptedNightly, TheCampaignFinishesWritingAndThePageIsMade) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const pid_t child =
        start("cp " + in("clean.json") + " " + in("run/campaign.json") + "; exit 130");
    ::kill(child, signal);
    EXPECT_EQ(wait_program(child), 130);
    EXPECT_TRUE(has(page(), "The run was interrupted before its end"));
    EXPECT_TRUE(has(page(), "1,234,567"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "bench.args"))
        << "the benchmarks were not begun";
    std::filesystem::remove(in("ready"));
  }
}

TEST_F(InterruptedNightly, ASecondInterruptKillsACampaignThatWillNotEnd) {
  // The campaign answers the first signal by waiting on; its answer says when to send the second.
  ::mkfifo(in("answer").c_str(), 0600);
  const pid_t child = start("echo >" + in("answer"));
  ::kill(child, SIGINT);
  std::ifstream(in("answer")).get();
  ::kill(child, SIGINT);
  EXPECT_EQ(wait_program(child), 130);
  EXPECT_TRUE(has(page(), "no campaign was recorded"));
}

TEST_F(Nightly, ACampaignThatIsKilledLeavesItsCounts) {
  std::string state = small_campaign("untrusted");
  state.replace(state.find("\"reasons\": []"), 13, "\"reasons\": [\"the campaign did not end\"]");
  folder_.write("state.json", state);
  script("PRELAUNCH_CAMPAIGN", "campaign",
         "cp " + in("state.json") + " " + in("run/campaign.json") + "\nkill -KILL $$\n");
  EXPECT_EQ(night(), 3);
  EXPECT_TRUE(has(page(), "<h1>Untrusted</h1>"));
  EXPECT_TRUE(has(page(), "prelaunch-campaign was killed by signal 9; the campaign did not end."));
  EXPECT_TRUE(has(page(), "1,234,567"));
}

TEST(Process, AChildThatOverrunsIsStopped) {
  using std::chrono::milliseconds;
  SignalGate gate;
  const Limits limits{.limit = milliseconds(1), .grace = milliseconds(1)};
  EXPECT_TRUE(gate.run({"/bin/sh", "-c", "trap '' TERM; while :; do :; done"}, limits).overran);
  EXPECT_FALSE(gate.interrupted());
}

TEST(Process, WhatCannotBeStartedSaysSo) {
  SignalGate gate;
  const Limits limits{.limit = std::chrono::minutes(1), .grace = std::chrono::minutes(1)};
  EXPECT_EQ(gate.run({"/nonexistent"}, limits).status, kNotRun);
}

TEST(BenchBudget, IsAQuarterAndAtMostAMinute) {
  using std::chrono::seconds;
  EXPECT_EQ(bench_budget(seconds(1800)), seconds(60));
  EXPECT_EQ(bench_budget(seconds(100)), seconds(25));
  EXPECT_EQ(bench_budget(seconds(1)), seconds(1));
}

}  // namespace
}  // namespace prelaunch::reports
