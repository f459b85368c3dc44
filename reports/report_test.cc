// The page, and prelaunch-report as a program.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "reports/files.h"
#include "reports/page.h"
#include "reports/run_files.h"
#include "reports/testing.h"

namespace prelaunch::reports {
namespace {

constexpr const char* kAttack = "<script>alert(1)</script>\"'><img src=x>";

int report(const TemporaryFolder& folder) {
  return run_program(folder, {PRELAUNCH_REPORT_PROGRAM, folder.path().string()});
}

// Replaces every string value of `json` that is free text, and every key of a map, by the attack.
void poison(nlohmann::json& json, const std::string& key = {}) {
  const bool closed = key == "schema" || key == "type" || key == "state" || key == "verdict" ||
                      key == "profile" || key == "time_unit" || key == "aggregate_name";
  if (json.is_string() && !closed)
    json = key == "name" ? json.get<std::string>() + kAttack : kAttack;
  if (key == "rules_fired") json[kAttack] = 0;
  if (key == "context") json[kAttack] = kAttack;
  if (json.is_structured()) {
    for (auto& [name, value] : json.items()) poison(value, json.is_object() ? name : key);
  }
}

TEST(Page, NoStringOfAnyFieldBecomesMarkup) {
  const TemporaryFolder folder;
  auto campaign = nlohmann::json::parse(small_campaign("findings", kSmallFinding));
  campaign["reasons"] = {"r"};
  campaign["targets"][0]["findings"][0]["rule"] = "r";
  auto bench = nlohmann::json::parse(kSmallBench);
  for (const char* name : {"validation/o/reject/r", "kernel/o/c/v", "other", "kernel/o/d"}) {
    bench["benchmarks"].push_back({{"name", name}, {"real_time", 1}, {"time_unit", "ns"}});
  }
  bench["benchmarks"].back().update({{"error_occurred", true}, {"error_message", "e"}});
  campaign["known"] = {{{"id", "k"},
                        {"op", "o"},
                        {"state", "tolerated"},
                        {"reference", "r"},
                        {"reason", "r"},
                        {"detail", "d"},
                        {"seen", 1}}};
  auto triage = nlohmann::json::parse(small_triage("b", "[]"));
  triage["buckets"][0]["rule"] = "r";
  auto probe = nlohmann::json::parse(kSmallProbe);
  auto coverage = nlohmann::json::parse(kSmallCoverage);
  poison(campaign);
  poison(bench);
  poison(triage);
  poison(probe);
  poison(coverage);
  folder.write("triage.json", triage.dump());
  folder.write("probe.json", probe.dump());
  folder.write("coverage.json", coverage.dump());
  folder.write("campaign.json", campaign.dump());
  folder.write("bench.json", bench.dump());
  folder.write("nightly.json", Night{.troubles = {kAttack}}.to_json());
  ASSERT_EQ(report(folder), 0) << folder.read("err");
  const std::string page = folder.read("index.html");
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;"), std::string::npos);
}

TEST(Page, ShowsWhatWasFoundAndHowToReproduceIt) {
  const TemporaryFolder folder;
  folder.write("campaign.json", small_campaign("findings", kSmallFinding));
  folder.write("bench.json", kSmallBench);
  const std::string page = make_page(read_run(folder.path()));
  for (const char* text :
       {"<h1>Findings</h1>", "out unwritten", "./prelaunch replay corpus/f1.json", "1,234,567",
        "20,576", "25.0\u00a0%", "pack.q.rank", "1.10\u00d7", "lab1"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(page.find("<li><code>pack.q.cuda"), std::string::npos) << "this rule fired";
}

TEST(Page, LoadsNothingFromOutside) {
  const std::string page = make_page({});
  for (const char* text : {"http:", "https:", "src=", "href=", "url(", "@import"}) {
    EXPECT_EQ(page.find(text), std::string::npos) << text;
  }
}

TEST(Page, SaysWhatIsAbsent) {
  const TemporaryFolder folder;
  EXPECT_EQ(report(folder), 2) << "a folder without any file of a run";
  EXPECT_EQ(folder.read("index.html"), "");
  folder.write("nightly.json", Night{}.to_json());
  ASSERT_EQ(report(folder), 0);
  const std::string page = folder.read("index.html");
  EXPECT_NE(page.find("<h1>Untrusted</h1>"), std::string::npos);
  EXPECT_NE(page.find("no campaign.json"), std::string::npos);
  EXPECT_NE(page.find("no bench.json"), std::string::npos);
}

// What a campaign leaves that was killed.
TEST(Page, ACampaignThatDidNotEndIsUntrustedAndKeepsItsCounts) {
  const TemporaryFolder folder;
  std::string campaign = small_campaign("untrusted");
  campaign.replace(campaign.find("\"reasons\": []"), 13,
                   "\"reasons\": [\"the campaign did not end\"]");
  campaign.replace(campaign.find("\"dirty\""), 7, "\"ended\": false, \"dirty\"");
  folder.write("campaign.json", campaign);
  ASSERT_EQ(report(folder), 0) << folder.read("err");
  const std::string page = folder.read("index.html");
  EXPECT_NE(page.find("<h1>Untrusted</h1>"), std::string::npos);
  EXPECT_NE(page.find("The campaign did not end."), std::string::npos);
  EXPECT_NE(page.find("1,234,567"), std::string::npos);
}

TEST(Report, BadInputIsOneLineAndKeepsThePage) {
  const TemporaryFolder folder;
  folder.write("index.html", "old");
  std::string bad = small_campaign("clean");
  bad.replace(bad.find("1234567"), 7, "\"x\"");
  const std::string path = folder.write("campaign.json", bad);
  EXPECT_EQ(report(folder), 2);
  EXPECT_EQ(folder.read("err"), "prelaunch report: " + path +
                                    ": targets[0].executions: expected a number, got \"x\"\n");
  EXPECT_EQ(folder.read("index.html"), "old");
}

TEST(Report, WhatIsNoFileIsRefused) {
  const TemporaryFolder folder;
  ::mkfifo((folder / "campaign.json").c_str(), 0600);
  EXPECT_EQ(report(folder), 2);
  std::filesystem::remove(folder / "campaign.json");
  std::filesystem::create_directory(folder / "bench.json");
  EXPECT_EQ(report(folder), 2);
  EXPECT_EQ(count_lines(folder.read("err")), 1U);
}

TEST(Report, AFileBeyondTheBoundIsRefused) {
  const TemporaryFolder folder;
  folder.write("campaign.json", "");
  std::filesystem::resize_file(folder / "campaign.json", kMaxFileBytes + 1);
  EXPECT_EQ(report(folder), 2);
  EXPECT_NE(folder.read("err").find("larger than 64 MiB"), std::string::npos);
}

TEST(Report, UsageErrorsAreOneLine) {
  const TemporaryFolder folder;
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                    {"/nonexistent"},
                                                    {"a", "b"},
                                                    {"--what"},
                                                    {folder.path().string(), "--against", ""}}) {
    std::vector<std::string> argv = {PRELAUNCH_REPORT_PROGRAM};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    EXPECT_EQ(run_program(folder, argv), 2);
    EXPECT_EQ(count_lines(folder.read("err")), 1U) << folder.read("err");
  }
  EXPECT_EQ(run_program(folder, {PRELAUNCH_REPORT_PROGRAM, "--help"}), 0);
}

TEST(WriteFile, AFullDiskLeavesTheOldFileAndNothingElse) {
  const TemporaryFolder folder;
  folder.write("page", "old");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(write_file(folder / "page", std::string(5000, 'x')), FileError);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(folder.read("page"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(WriteFile, AFolderInTheWayIsAnError) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "page/x");
  EXPECT_THROW(write_file(folder / "page", "x"), FileError);
  EXPECT_THROW(write_file("/proc/page", "x"), FileError);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace prelaunch::reports
