// A run beside the last one: which one that is, what is new and what is gone.
#include <gtest/gtest.h>

#include "reports/issues.h"
#include "reports/page.h"
#include "reports/previous.h"
#include "reports/run_files.h"
#include "reports/summary.h"
#include "reports/testing.h"

namespace prelaunch::reports {
namespace {

namespace fs = std::filesystem;

constexpr const char* kToday = "2026-11-30T02:15:00Z";

class Compared : public testing::Test {
 protected:
  void write(const std::string& run, const std::string& file, const std::string& text) {
    fs::create_directories(folder_ / run);
    folder_.write(run + "/" + file, text);
  }
  std::string previous() const {
    const auto run = find_previous(folder_ / "today", read_campaign(folder_ / "today"));
    return run ? run->name : "none";
  }
  RunFiles today() const {
    RunFiles run = read_run(folder_ / "today");
    run.previous = find_previous(folder_ / "today", run.campaign);
    return run;
  }

  TemporaryFolder folder_;
};

TEST_F(Compared, WithTheLatestFinishedRunOfTheSameMachineBeforeIt) {
  write("today", "campaign.json", campaign_at(kToday));
  EXPECT_EQ(previous(), "none");
  write("a", "campaign.json", campaign_at("2026-11-28T02:15:00Z"));
  write("c", "campaign.json", campaign_at("2026-11-27T02:15:00Z"));
  EXPECT_EQ(previous(), "a");
  write("later", "campaign.json", campaign_at("2026-12-01T02:15:00Z"));
  write("same", "campaign.json", campaign_at(kToday));
  write("other", "campaign.json", campaign_at("2026-11-29T02:15:00Z", "[]", "lab2"));
  write("killed", "campaign.json",
        replaced(campaign_at("2026-11-29T02:15:00Z"), "\"ended\": true", "\"ended\": false"));
  write("timeless", "campaign.json", campaign_at("yesterday"));
  EXPECT_EQ(previous(), "a");
}

TEST_F(Compared, WhatWasInterruptedInBetweenIsNamedAndNotComparedWith) {
  write("today", "campaign.json", campaign_at(kToday));
  write("a", "campaign.json", campaign_at("2026-11-27T02:15:00Z"));
  EXPECT_EQ(make_page(today()).find("did not end"), std::string::npos);
  write("b", "campaign.json",
        replaced(campaign_at("2026-11-28T02:15:00Z"), "\"ended\": true",
                 "\"ended\": true, \"interrupted\": true"));
  EXPECT_EQ(previous(), "a");
  EXPECT_NE(make_page(today()).find("<code>b</code> after it did not end"), std::string::npos);
}

TEST_F(Compared, PassesOverWhatCannotBeRead) {
  write("today", "campaign.json", campaign_at(kToday));
  write("a", "campaign.json", campaign_at("2026-11-27T02:15:00Z"));
  write("b", "campaign.json", campaign_at("2026-11-28T02:15:00Z"));
  write("b", "triage.json", "{");
  write("c", "campaign.json", "{");
  fs::create_directories(folder_ / "d/campaign.json");
  folder_.write("file", "");
  EXPECT_EQ(previous(), "a");
}

TEST_F(Compared, LooksAtSoManyFoldersAndNoMore) {
  write("today", "campaign.json", campaign_at(kToday));
  write("a", "campaign.json", campaign_at("2026-11-28T02:15:00Z"));
  for (std::size_t i = 1; i < kMostSiblings; ++i) {
    fs::create_directory(folder_ / ("b" + std::to_string(i)));
  }
  EXPECT_EQ(previous(), "a");
  fs::create_directory(folder_ / "b");
  EXPECT_EQ(previous(), "none");
}

TEST_F(Compared, ARunThatDoesNotSayWhereOrWhenHasNoPrevious) {
  write("a", "campaign.json", campaign_at("2026-11-28T02:15:00Z", "[]", ""));
  write("today", "campaign.json", campaign_at(kToday, "[]", ""));
  EXPECT_EQ(previous(), "none");
  write("today", "campaign.json", small_campaign("clean"));
  EXPECT_EQ(previous(), "none");
}

TEST_F(Compared, ABucketIsNewWhenThePreviousRunHadNoneOfItsId) {
  write("a", "campaign.json", campaign_at("2026-11-28T02:15:00Z", kSmallFinding));
  write("a", "triage.json", small_triage("pack-x-1", R"(["f1"])"));
  write("today", "campaign.json", campaign_at(kToday, kSmallFinding));
  write("today", "triage.json", small_triage("pack-x-1", R"(["f1"])"));
  ASSERT_EQ(list_issues(today()).size(), 1U);
  EXPECT_EQ(count_new(list_issues(today())), 0U);
  EXPECT_TRUE(list_gone(today()).empty());
  write("today", "triage.json", small_triage("pack-y-2", R"(["f1"])"));
  EXPECT_EQ(count_new(list_issues(today())), 1U);
  ASSERT_EQ(list_gone(today()).size(), 1U);
  EXPECT_EQ(list_gone(today())[0].bucket.id, "pack-x-1");
}

TEST_F(Compared, WithoutATriageTheIdsOfFindingsTell) {
  const std::string other = replaced(kSmallFinding, "f1", "f2");
  write("a", "campaign.json", campaign_at("2026-11-28T02:15:00Z", kSmallFinding));
  write("today", "campaign.json", campaign_at(kToday, kSmallFinding));
  EXPECT_EQ(count_new(list_issues(today())), 0U);
  write("today", "triage.json", small_triage("pack-x-1", R"(["f1"])"));
  EXPECT_EQ(count_new(list_issues(today())), 0U) << "the older run had no triage";
  write("today", "campaign.json", campaign_at(kToday, other));
  EXPECT_EQ(count_new(list_issues(today())), 1U) << "the finding that no bucket holds";
}

TEST_F(Compared, AFindingThatNoBucketHoldsIsStillShown) {
  write("today", "campaign.json", campaign_at(kToday, kSmallFinding));
  write("today", "triage.json", small_triage("pack-x-1", R"(["other"])"));
  const RunFiles run = today();
  ASSERT_EQ(list_issues(run).size(), 2U);
  EXPECT_EQ(count_text(list_issues(run)), "1 bucket and 1 finding by itself");
  EXPECT_NE(make_page(run).find("./prelaunch replay corpus/f1.json"), std::string::npos);
}

TEST_F(Compared, WhatThisRunDidNotFuzzOrTheLedgerKnowsIsNotGone) {
  write("a", "campaign.json", campaign_at("2026-11-28T02:15:00Z", kSmallFinding));
  write("today", "campaign.json", campaign_at(kToday));
  EXPECT_EQ(list_gone(today()).size(), 1U);
  write("today", "campaign.json",
        replaced(campaign_at(kToday), "\"op\": \"pack\"", "\"op\": \"b\""));
  EXPECT_TRUE(list_gone(today()).empty()) << "another op";
  write("today", "campaign.json",
        replaced(campaign_at(kToday), "\"targets\"",
                 R"("known": [{"id": "f1", "op": "pack", "state": "tolerated", "reference": "",
                    "reason": "r", "detail": "", "seen": 1}], "targets")"));
  EXPECT_TRUE(list_gone(today()).empty()) << "known";
}

TEST_F(Compared, ThePageSaysWhatIsNewAndWhatIsGone) {
  write("a", "campaign.json", campaign_at("2026-11-28T02:15:00Z", kSmallFinding));
  write("a", "triage.json", small_triage("pack-x-1", R"(["f1"])"));
  write("a", "coverage.json", replaced(kSmallCoverage, "49", "50"));
  write("today", "campaign.json", replaced(campaign_at(kToday, kSmallFinding), "20576.1", "10000"));
  write("today", "triage.json", small_triage("pack-y-2", R"(["f1"])"));
  write("today", "coverage.json", kSmallCoverage);
  write("today", "probe.json", kSmallProbe);
  const std::string page = make_page(today());
  for (const char* text :
       {"1 bucket, new.", "<span class=\"tag new\">new</span>", "out[3] is never written",
        "href=\"triage/pack-y-2.json\"", "href=\"triage/pack-y-2.cc\"", "also seen as (1)",
        "as a crash", "1 new, 1 not found again", "Gone since the last run", "pack-x-1",
        "\u221210,576 (\u221251.4\u00a0%)", "kernels/pack/contract.h",
        "last run 100.0\u00a0% of 50", "href=\"coverage/index.html\"", "deletion:17", "0.2 s"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
}

TEST_F(Compared, TheSummaryCountsBucketsAndNewOnesWithinItsLines) {
  auto triage = nlohmann::json::parse(small_triage("pack-x-1", R"(["f1"])"));
  for (const char* id : {"p2", "p3"}) {
    triage["buckets"].push_back(triage["buckets"][0]);
    triage["buckets"].back()["id"] = id;
  }
  write("a", "campaign.json", campaign_at("2026-11-28T02:15:00Z"));
  write("a", "triage.json", small_triage("pack-x-1", "[]"));
  write("today", "campaign.json", campaign_at(kToday, kSmallFinding));
  write("today", "triage.json", triage.dump());
  const auto lines = summary_lines(today(), std::nullopt, Colour::kNever);
  EXPECT_LE(lines.size(), kMostSummaryLines);
  EXPECT_EQ(lines.at(1), "found      3 buckets, 2 new, the first of them:");
  EXPECT_EQ(lines.at(2), "  new: pack: out[3] is never written");
  EXPECT_EQ(lines.at(3), "    ./prelaunch replay b");
}

TEST_F(Compared, OnlyPlainIdsAndHttpsReferencesBecomeLinks) {
  const std::string known = R"j("known": [
    {"id": "k", "op": "pack", "state": "tolerated", "reference": "https://example.com/1",
     "reason": "r", "detail": "d", "seen": 1},
    {"id": "l", "op": "pack", "state": "quarantined", "reference": "javascript:alert(1)",
     "reason": "r", "detail": "d", "seen": 0}], "targets")j";
  write("today", "campaign.json",
        replaced(campaign_at(kToday, kSmallFinding), "\"targets\"", known));
  write("today", "triage.json", small_triage("../../etc/x", R"(["f1"])"));
  const std::string page = make_page(today());
  EXPECT_NE(page.find("href=\"https://example.com/1\""), std::string::npos);
  EXPECT_EQ(page.find("href=\"javascript"), std::string::npos);
  EXPECT_EQ(page.find("href=\"triage"), std::string::npos);
  EXPECT_NE(page.find("quarantined"), std::string::npos);
}

TEST_F(Compared, TheProgramTakesTheRunThatIsNamed) {
  write("today", "campaign.json", campaign_at(kToday));
  write("a", "campaign.json", campaign_at("2026-11-28T02:15:00Z"));
  write("b", "campaign.json", campaign_at("2026-11-29T02:15:00Z", "[]", "elsewhere"));
  const std::vector<std::string> argv = {PRELAUNCH_REPORT_PROGRAM, (folder_ / "today").string()};
  ASSERT_EQ(run_program(folder_, argv), 0);
  EXPECT_NE(folder_.read("today/index.html").find("<code>a</code>"), std::string::npos);
  const auto against = [&](const std::string& run) {
    return run_program(folder_, {argv[0], argv[1], "--against", (folder_ / run).string()});
  };
  ASSERT_EQ(against("b"), 0) << folder_.read("err");
  EXPECT_NE(folder_.read("today/index.html").find("<code>b</code>"), std::string::npos);
  EXPECT_EQ(against("nowhere"), 2);
  EXPECT_EQ(count_lines(folder_.read("err")), 1U);
  fs::create_directory(folder_ / "empty");
  EXPECT_EQ(against("empty"), 2);
}

}  // namespace
}  // namespace prelaunch::reports
