// A night with programs that only pretend: shell scripts that note their arguments, write what they
// are told and end as they are told.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "reports/nightly.h"
#include "reports/testing.h"

namespace prelaunch::reports {

// Where the test's build has put them; each test defines both.
extern const char* const kReportProgram;
extern const char* const kNightlyProgram;

class Nightly : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("clean.json", small_campaign("clean"));
    folder_.write("findings.json", small_campaign("findings", kSmallFinding));
    folder_.write("bench.json", kSmallBench);
    folder_.write("triage.json", small_triage("b", R"(["f1"])"));
    folder_.write("no-buckets.json", R"({"schema": "prelaunch.triage/1", "buckets": []})");
    folder_.write("probe.json", kSmallProbe);
    folder_.write("coverage.json", kSmallCoverage);
    campaign_ends("0");
    bench_ends("0");
    triage_ends("0", "no-buckets.json");
    probe_ends("0");
    part_ends("PRELAUNCH_COVERAGE", "coverage", "0", "coverage.json");
    set("PRELAUNCH_REPORT", kReportProgram);
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

  // A part that notes its arguments, leaves `json` (unless empty) as run/<name>.json, and ends.
  void part_ends(const char* variable, const std::string& name, const std::string& status,
                 const std::string& json) {
    script(variable, name,
           "echo \"$@\" >" + in(name + ".args") + "\n" +
               (json.empty() ? "" : "cp " + in(json) + " " + in("run/" + name + ".json") + "\n") +
               "exit " + status + "\n");
  }
  void campaign_ends(const std::string& status, const std::string& json = "clean.json") {
    part_ends("PRELAUNCH_CAMPAIGN", "campaign", status, json);
  }
  void bench_ends(const std::string& status) {
    part_ends("PRELAUNCH_BENCH", "bench", status, "bench.json");
  }
  void triage_ends(const std::string& status, const std::string& json = "triage.json") {
    part_ends("PRELAUNCH_TRIAGE", "triage", status, json);
  }
  void probe_ends(const std::string& status, const std::string& json = "probe.json") {
    part_ends("PRELAUNCH_PROBE", "probe", status, json);
  }
  bool ran(const std::string& name) const {
    return std::filesystem::exists(folder_ / (name + ".args"));
  }
  std::vector<std::string> argv(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {kNightlyProgram, "--out", in("run")});
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

}  // namespace prelaunch::reports
