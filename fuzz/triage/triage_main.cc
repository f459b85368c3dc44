// prelaunch-triage: sorts the findings of a campaign into bugs, each with its smallest call.
#include <fmt/format.h>

#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/tool.h"
#include "fuzz/files.h"
#include "fuzz/triage/triage.h"
#include "kernels/common/provenance.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;

// Of reports/runs, the folder whose campaign.json was written last.
fs::path newest_run(const fs::path& root) {
  fs::path newest;
  fs::file_time_type latest = fs::file_time_type::min();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / "reports" / "runs", error)) {
    const auto written = fs::last_write_time(entry.path() / "campaign.json", error);
    if (error || written <= latest) continue;
    latest = written;
    newest = entry.path();
  }
  if (newest.empty()) {
    throw FileError(
        "no run in reports/runs has a campaign.json: name a folder, or run prelaunch fuzz");
  }
  return newest;
}

void print(const fs::path& folder, const Triage& result) {
  for (const Bucket& bucket : result.buckets) {
    fmt::print("BUG {}, {} finding{}\n  {}\n  {}\n", bucket.id, bucket.findings.size(),
               bucket.findings.size() == 1 ? "" : "s", describe_bucket(bucket),
               replay_command(folder, bucket));
    for (const std::string& way : bucket.also) fmt::print("  also {}\n", way);
  }
  for (const std::string& text : result.unreadable) fmt::print("NOT TRUSTED: {}\n", text);
  std::size_t findings = 0;
  for (const Bucket& bucket : result.buckets) findings += bucket.findings.size();
  const std::size_t bugs = result.buckets.size();
  fmt::print("{} finding{}, {} bug{}, {:.1f} s; triage.json and triage/ in {}\n", findings,
             findings == 1 ? "" : "s", bugs, bugs == 1 ? "" : "s", result.seconds, folder.string());
}

int run(int argc, char** argv) {
  CLI::App app(
      "Sorts the findings of a campaign into bugs; writes the smallest call of each as JSON and as "
      "a C++ test.",
      "prelaunch triage");
  fs::path folder;
  app.add_option("folder", folder,
                 "A campaign's folder; without it the run in reports/runs that was last written");
  app.footer(
      "Exit codes: 0 no findings, 1 bugs, 2 usage or bad input, 3 a finding's call cannot be "
      "read, 130 interrupted.\nExample: prelaunch triage /tmp/campaign");
  if (const auto code = parse_ended(app, argc, argv)) return *code;
  catch_interrupts();
  const fs::path root = checkout();
  if (folder.empty()) folder = newest_run(root);
  const Triage result = triage(folder, root);
  print(folder, result);
  return result.exit_code();
}

}  // namespace
}  // namespace prelaunch::fuzz

int main(int argc, char** argv) {
  return prelaunch::fuzz::run_tool("prelaunch triage", prelaunch::fuzz::run, argc, argv);
}
