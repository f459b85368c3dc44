// The parts of a night: those that are missing, die, leave nothing, or are interrupted.
#include "reports/part.h"

#include <csignal>

#include "reports/nightly_testing.h"

namespace prelaunch::reports {

const char* const kReportProgram = PRELAUNCH_REPORT_PROGRAM;
const char* const kNightlyProgram = PRELAUNCH_NIGHTLY_PROGRAM;

namespace {

TEST_F(Nightly, AMissingProgramIsFoundBeforeAnythingRuns) {
  for (const Part& part : parts()) {
    SetUp();
    const std::string said = std::string("the result cannot be trusted: ") + part.program;
    set(part.variable, in("absent"));
    EXPECT_EQ(night(), 3);
    EXPECT_TRUE(has(folder_.read("err"), said + " is missing"));
    ::unsetenv(part.variable);
    EXPECT_EQ(night(), 3);
    EXPECT_TRUE(has(folder_.read("err"), said + " is missing"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "campaign.args"));
}

// What a part can do to a night, and the sentence that names it.
TEST_F(Nightly, WhateverAPartDoesTheOthersRunAndThePageNamesIt) {
  struct {
    const char *variable, *name, *body, *sentence;
  } const cases[] = {
      {"PRELAUNCH_TRIAGE", "triage", "kill -SEGV $$\n", "prelaunch-triage was killed by signal 11"},
      {"PRELAUNCH_TRIAGE", "triage", "exit 2\n", "prelaunch-triage failed with exit status 2"},
      {"PRELAUNCH_TRIAGE", "triage", "exit 0\n", "prelaunch-triage left no triage.json"},
      {"PRELAUNCH_PROBE", "probe", "exit 1\n", "prelaunch-probe failed with exit status 1"},
      {"PRELAUNCH_PROBE", "probe", "exit 3\n", "prelaunch-probe says that its result cannot be"},
      {"PRELAUNCH_PROBE", "probe", "exit 0\n", "prelaunch-probe left no probe.json"},
      {"PRELAUNCH_COVERAGE", "coverage", "exit 130\n",
       "prelaunch-coverage failed with exit status"},
      {"PRELAUNCH_COVERAGE", "coverage", "exit 0\n", "prelaunch-coverage left no coverage.json"},
      {"PRELAUNCH_CAMPAIGN", "campaign", "exit 0\n", "prelaunch-campaign left no campaign.json"},
      {"PRELAUNCH_COVERAGE", "coverage", "exit 127\n", "prelaunch-coverage could not be"}};
  for (const auto& [variable, name, body, sentence] : cases) {
    SetUp();
    script(variable, name, body);
    EXPECT_EQ(night(), 3) << sentence;
    EXPECT_TRUE(has(page(), "<h1>Untrusted</h1>")) << sentence;
    EXPECT_TRUE(has(page(), sentence)) << sentence;
    EXPECT_TRUE(has(folder_.read("err"), sentence)) << sentence;
    for (const char* other : {"campaign", "triage", "probe", "coverage", "bench"}) {
      EXPECT_TRUE(other == std::string(name) || ran(other)) << sentence << ": " << other;
      std::filesystem::remove(folder_ / (std::string(other) + ".args"));
    }
  }
}

TEST_F(Nightly, AFileThatCannotBeReadMakesTheNightUntrusted) {
  folder_.write("broken.json", "{");
  probe_ends("0", "broken.json");
  EXPECT_EQ(night(), 3);
  EXPECT_TRUE(has(folder_.read("err"), "probe.json: "));
  EXPECT_TRUE(ran("bench"));
}

TEST_F(Nightly, APageThatWasNotWrittenMakesTheNightUntrusted) {
  script("PRELAUNCH_REPORT", "report", "exit 0\n");
  EXPECT_EQ(night(), 3);
  EXPECT_TRUE(has(folder_.read("err"), "prelaunch-report left no index.html"));
  EXPECT_TRUE(has(folder_.read("out"), "page       not written"));
}

TEST_F(Nightly, ACampaignThatGivesUpAfterItHadBegunIsNotSkipped) {
  campaign_ends("2", "clean.json");
  EXPECT_EQ(night(), 3);
  EXPECT_TRUE(has(page(), "prelaunch-campaign failed with exit status 2"));
  EXPECT_TRUE(ran("bench"));
}

TEST_F(Nightly, ACampaignThatRefusesItsArgumentsEndsTheNight) {
  campaign_ends("2", "");
  EXPECT_EQ(night(), 2);
  EXPECT_FALSE(ran("triage"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run/nightly.json"));
}

// Starts a night of which one part waits for a signal, and returns once it waits.
class InterruptedNightly : public Nightly {
 protected:
  pid_t start(const std::string& on_interrupt, const char* variable = "PRELAUNCH_CAMPAIGN",
              const std::string& name = "campaign") {
    ::mkfifo(in("ready").c_str(), 0600);
    script(variable, name,
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

TEST_F(InterruptedNightly, AnyPartIsToldAndOnlyThePageFollows) {
  const std::string names[] = {"campaign", "triage", "probe", "coverage", "bench"};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    SetUp();
    const pid_t child =
        start("echo told >" + in("told") + "; exit 130", parts()[i].variable, names[i]);
    ::kill(child, SIGINT);
    EXPECT_EQ(wait_program(child), 130) << names[i];
    EXPECT_EQ(folder_.read("told"), "told\n") << names[i];
    EXPECT_TRUE(has(page(), "The run was interrupted before its end")) << names[i];
    EXPECT_TRUE(has(page(), "<h1>Untrusted</h1>")) << names[i];
    EXPECT_FALSE(has(page(), "prelaunch-" + names[i])) << "no trouble of its own";
    for (std::size_t later = i + 1; later < std::size(names); ++later) {
      EXPECT_FALSE(ran(names[later])) << names[later] << " after " << names[i];
    }
    for (const char* file : {"ready", "told"}) std::filesystem::remove(in(file));
    for (const std::string& name : names) std::filesystem::remove(in(name + ".args"));
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

TEST(Parts, EachHasATimeLimitAndIsNamedWhenItOverruns) {
  for (const Part& part : parts()) {
    EXPECT_GT(part.limit, std::chrono::seconds(0)) << part.program;
    const Exit overrun{.status = kAsExpected, .overran = true};
    EXPECT_EQ(outcome_of(overrun, part.documented), kCannotTrust) << part.program;
    EXPECT_EQ(describe_trouble(part.program, overrun),
              std::string(part.program) + " ran past its time and was stopped");
  }
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

}  // namespace
}  // namespace prelaunch::reports
