#include "reports/part.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "reports/run_files.h"

namespace prelaunch::reports {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

std::string seconds_text(seconds time) { return fmt::format("{}s", time.count()); }

void add_ops(const NightlyOptions& options, Argv& argv) {
  if (!options.ops.empty()) argv.insert(argv.end(), {"--ops", options.ops});
}

void add_seed(const NightlyOptions& options, Argv& argv) {
  if (options.seed) argv.insert(argv.end(), {"--seed", fmt::to_string(*options.seed)});
}

seconds share_of_campaign(const NightlyOptions& options) {
  return std::max(options.budget - bench_budget(options.budget), seconds(1));
}

seconds share_of_bench(const NightlyOptions& options) { return bench_budget(options.budget); }

Argv campaign_arguments(const NightlyOptions& options, const fs::path& folder) {
  Argv argv = {"--budget", seconds_text(share_of_campaign(options)), "--jobs",
               fmt::to_string(options.jobs)};
  if (!options.engine.empty()) argv.insert(argv.end(), {"--engine", options.engine});
  add_ops(options, argv);
  add_seed(options, argv);
  argv.insert(argv.end(), {"--out", folder.string()});
  return argv;
}

Argv folder_alone(const NightlyOptions&, const fs::path& folder) { return {folder.string()}; }

Argv probe_arguments(const NightlyOptions& options, const fs::path& folder) {
  Argv argv = {"--json", (folder / kProbeFile).string()};
  add_ops(options, argv);
  add_seed(options, argv);
  return argv;
}

Argv coverage_arguments(const NightlyOptions& options, const fs::path& folder) {
  Argv argv = {folder.string()};
  add_ops(options, argv);
  return argv;
}

Argv bench_arguments(const NightlyOptions& options, const fs::path& folder) {
  Argv argv = {"--nightly", "--budget", seconds_text(share_of_bench(options)), "--out",
               (folder / kBenchFile).string()};
  add_ops(options, argv);
  return argv;
}

template <auto member, auto read>
bool keep(RunFiles& run, const fs::path& folder) {
  run.*member = read(folder);
  return (run.*member).has_value();
}

bool campaign_says_why(const RunFiles& run) {
  return run.campaign && run.campaign->verdict == RunVerdict::kUntrusted &&
         !run.campaign->reasons.empty();
}

bool probe_says_why(const RunFiles& run) { return run.probe && !run.probe->doubts().empty(); }

bool page_is_there(RunFiles&, const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / kPageFile, error);
}

std::vector<Part> make_parts() {
  return {
      {.program = "prelaunch-campaign",
       .variable = "PRELAUNCH_CAMPAIGN",
       .file = kCampaignFile,
       .documented = {kAsExpected, kFound, kUnresolved, kInterrupted, kBadUsage},
       .arguments = campaign_arguments,
       .budget = share_of_campaign,
       .limit = seconds(900),  // shrinking and writing findings comes after the budget
       .read = keep<&RunFiles::campaign, read_campaign>,
       .says_why = campaign_says_why},
      {.program = "prelaunch-triage",
       .variable = "PRELAUNCH_TRIAGE",
       .file = kTriageFile,
       .documented = {kAsExpected, kFound},
       .arguments = folder_alone,
       .budget = nullptr,
       .limit = seconds(1800),
       .read = keep<&RunFiles::triage, read_triage>,
       .says_why = nullptr},
      {.program = "prelaunch-probe",
       .variable = "PRELAUNCH_PROBE",
       .file = kProbeFile,
       .documented = {kAsExpected},
       .arguments = probe_arguments,
       .budget = nullptr,
       .limit = seconds(1800),  // a minute each for 30 targets of which none is found
       .read = keep<&RunFiles::probe, read_probe>,
       .says_why = probe_says_why},
      {.program = "prelaunch-coverage",
       .variable = "PRELAUNCH_COVERAGE",
       .file = kCoverageFile,
       .documented = {kAsExpected},
       .arguments = coverage_arguments,
       .budget = nullptr,
       .limit = seconds(900),
       .read = keep<&RunFiles::coverage, read_coverage>,
       .says_why = nullptr},
      {.program = "prelaunch-bench",
       .variable = "PRELAUNCH_BENCH",
       .file = kBenchFile,
       .documented = {kAsExpected, kFound, kUnresolved, kInterrupted},
       .arguments = bench_arguments,
       .budget = share_of_bench,
       .limit = seconds(600),
       .read = keep<&RunFiles::bench, read_bench>,
       .says_why = nullptr},
      {.program = "prelaunch-report",
       .variable = "PRELAUNCH_REPORT",
       .file = kPageFile,
       .documented = {kAsExpected},
       .arguments = folder_alone,
       .budget = nullptr,
       .limit = seconds(300),
       .read = page_is_there,
       .says_why = nullptr,
       .on_interrupt = OnInterrupt::kFinish},
  };
}

bool is_executable_file(const char* path) {
  struct stat status{};
  return ::stat(path, &status) == 0 && S_ISREG(status.st_mode) && ::access(path, X_OK) == 0;
}

}  // namespace

std::span<const Part> parts() {
  static const std::vector<Part> parts = make_parts();
  return parts;
}

std::variant<Programs, std::string> find_programs() {
  Programs programs;
  for (const Part& part : parts()) {
    const char* value = std::getenv(part.variable);
    const std::string missing = fmt::format("{} is missing ({}", part.program, part.variable);
    if (value == nullptr || *value == '\0') return missing + " is not set)";
    if (!is_executable_file(value)) return missing + "=" + value + " is no executable file)";
    programs.emplace_back(value);
  }
  return programs;
}

}  // namespace prelaunch::reports
