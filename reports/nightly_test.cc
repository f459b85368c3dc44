// What a night is told, what it says and how it ends.
#include "reports/nightly_testing.h"
#include "reports/summary.h"

namespace prelaunch::reports {

const char* const kReportProgram = PRELAUNCH_REPORT_PROGRAM;
const char* const kNightlyProgram = PRELAUNCH_NIGHTLY_PROGRAM;

namespace {

TEST_F(Nightly, PassesOnTheBudgetAndWhatItWasTold) {
  ASSERT_EQ(night({"--budget", "30m", "--jobs", "3", "--ops", "a,b", "--seed", "7"}), 0);
  EXPECT_EQ(folder_.read("campaign.args"),
            "--budget 1740s --jobs 3 --ops a,b --seed 7 --out " + in("run") + "\n");
  EXPECT_EQ(folder_.read("bench.args"),
            "--nightly --budget 60s --out " + in("run/bench.json") + " --ops a,b\n");
  EXPECT_EQ(folder_.read("triage.args"), in("run") + "\n");
  EXPECT_EQ(folder_.read("probe.args"), "--json " + in("run/probe.json") + " --ops a,b --seed 7\n");
  EXPECT_EQ(folder_.read("coverage.args"), in("run") + " --ops a,b\n");
}

TEST_F(Nightly, PassesOnTheEngineThatIsNamed) {
  ASSERT_EQ(night({"--engine", "afl"}), 0);
  EXPECT_TRUE(has(folder_.read("campaign.args"), "--engine afl"));
  ASSERT_EQ(night(), 0);
  EXPECT_FALSE(has(folder_.read("campaign.args"), "--engine"));
}

TEST_F(Nightly, AnEndTakesThePlaceOfABudget) {
  ::setenv("PRELAUNCH_BUDGET", "1s", 1);
  ASSERT_EQ(night({"--until", "23:59"}), 0) << folder_.read("err");
  ::unsetenv("PRELAUNCH_BUDGET");
  EXPECT_EQ(night({"--until", "23:59", "--budget", "1h"}), 2);
  EXPECT_EQ(count_lines(folder_.read("err")), 1U);
  EXPECT_EQ(night({"--until", "25:00"}), 2);
  EXPECT_EQ(folder_.read("err"),
            "prelaunch nightly: --until: expected a time of day such as 06:30, got \"25:00\" "
            "(--help tells the usage)\n");
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
  EXPECT_TRUE(has(folder_.read("out"), "found      3 findings, the first of them:"));
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
                     {"2", "clean.json", "0", 3},
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

TEST_F(Nightly, BucketsAreAFinding) {
  campaign_ends("1", "findings.json");
  triage_ends("1");
  EXPECT_EQ(night(), 1);
  EXPECT_TRUE(has(folder_.read("out"), "found      1 bucket"));
  EXPECT_TRUE(has(folder_.read("out"), "./prelaunch replay b"));
}

TEST_F(Nightly, APlantedBugThatIsNotFoundIsSaidOnceInItsOwnWords) {
  folder_.write("missed.json", replaced(kSmallProbe, "true", "false"));
  probe_ends("3", "missed.json");
  EXPECT_EQ(night(), 3);
  EXPECT_TRUE(has(page(), "validate did not find the bug planted to test it within 60 s"));
  EXPECT_FALSE(has(page(), "prelaunch-probe says"));
  probe_ends("0", "missed.json");
  EXPECT_EQ(night(), 3) << "whatever the exit code claims";
  probe_ends("3");
  EXPECT_EQ(night(), 3) << "whatever the file claims";
  EXPECT_TRUE(has(page(), "prelaunch-probe says"));
}

TEST_F(Nightly, TheSummarySaysWhatIsNewSinceTheRunBeside) {
  folder_.write("findings.json", campaign_at("2026-11-30T02:15:00Z", kSmallFinding));
  std::filesystem::create_directory(folder_ / "before");
  folder_.write("before/campaign.json", campaign_at("2026-11-29T02:15:00Z"));
  campaign_ends("1", "findings.json");
  triage_ends("1");
  EXPECT_EQ(night(), 1);
  EXPECT_TRUE(has(folder_.read("out"), "found      1 bucket, 1 new"));
  EXPECT_TRUE(has(page(), "<code>before</code>"));
}

TEST_F(Nightly, YesterdaysResultDoesNotStandInForTodays) {
  ASSERT_EQ(night(), 0);
  script("PRELAUNCH_CAMPAIGN", "campaign", "exit 0\n");
  EXPECT_EQ(night(), 3);
  EXPECT_TRUE(has(page(), "no campaign was recorded"));
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
                                               {"--engine", "honggfuzz"},
                                               {"--until", "6"},
                                               {"--until", ""},
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

TEST(BenchBudget, IsAQuarterAndAtMostAMinute) {
  using std::chrono::seconds;
  EXPECT_EQ(bench_budget(seconds(1800)), seconds(60));
  EXPECT_EQ(bench_budget(seconds(100)), seconds(25));
  EXPECT_EQ(bench_budget(seconds(1)), seconds(1));
}

}  // namespace
}  // namespace prelaunch::reports
