#include "reports/nightly.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "kernels/common/escape.h"
#include "reports/duration.h"
#include "reports/files.h"
#include "reports/run_files.h"
#include "reports/summary.h"

namespace prelaunch::reports {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

std::string seconds_text(seconds time) { return fmt::format("{}s", time.count()); }

bool is_executable_file(const char* path) {
  struct stat status{};
  return ::stat(path, &status) == 0 && S_ISREG(status.st_mode) && ::access(path, X_OK) == 0;
}

Colour colour_of_stdout() {
  const char* no_colour = std::getenv("NO_COLOR");
  const bool wanted = no_colour == nullptr || *no_colour == '\0';
  return wanted && ::isatty(STDOUT_FILENO) == 1 ? Colour::kTerminal : Colour::kNever;
}

// Standard error may be closed; a night goes on without it.
void note(const std::string& text) {
  std::fprintf(stderr, "prelaunch nightly: %s\n", text.c_str());
}

class NightRun {
 public:
  NightRun(const Programs& programs, const NightlyOptions& options, const fs::path& folder)
      : programs_(programs), options_(options), folder_(folder) {}

  Outcome run() {
    remove_earlier_results();
    run_campaign();
    if (outcome_ == kBadUsage) return outcome_;  // the campaign has said what is wrong
    if (!interrupted()) run_bench();
    check_files();
    write_night();
    run_report();
    print_summary();
    return outcome_;
  }

 private:
  // A program that dies before it writes must not leave yesterday's result standing.
  void remove_earlier_results() {
    for (const char* file : {kCampaignFile, kBenchFile, kNightFile, kPageFile}) {
      remove_file(folder_ / file);
    }
  }

  bool interrupted() { return gate_.interrupted() || outcome_ == kInterrupted; }

  void run_campaign() {
    const seconds budget = options_.budget;
    announce(Part::kCampaign, std::max(budget - bench_budget(budget), seconds(1)));
    // Shrinking and writing findings comes after the budget.
    run_part(Part::kCampaign, campaign_argv(programs_, options_, folder_), budget + seconds(900),
             OnInterrupt::kForward);
  }

  void run_bench() {
    announce(Part::kBench, bench_budget(options_.budget));
    run_part(Part::kBench, bench_argv(programs_, options_, folder_),
             bench_budget(options_.budget) + seconds(600), OnInterrupt::kForward);
  }

  void run_report() {
    run_part(Part::kReport, {programs_.report, folder_.string()}, seconds(300),
             OnInterrupt::kFinish);
    if (gate_.interrupted()) outcome_ = kInterrupted;
  }

  void announce(Part part, seconds budget) {
    note(fmt::format("{}, {}", program_name(part),
                     format_duration(static_cast<double>(budget.count()))));
  }

  void run_part(Part part, const Argv& argv, seconds limit, OnInterrupt on_interrupt) {
    std::fflush(nullptr);
    const bool before = gate_.interrupted();
    const Exit exit = gate_.run(argv, {.limit = limit, .grace = seconds(60)}, on_interrupt);
    // A child that an interrupt ended, one way or another, is no trouble of its own.
    const bool ended_by_interrupt = !before && gate_.interrupted() && part != Part::kReport;
    const Outcome outcome = ended_by_interrupt ? kInterrupted : outcome_of(part, exit);
    if (outcome == kCannotTrust) add_trouble(describe_trouble(part, exit));
    outcome_ = worst({outcome_, outcome});
  }

  void add_trouble(std::string trouble) {
    note("the result cannot be trusted: " + visible(trouble));
    night_.troubles.push_back(std::move(trouble));
    outcome_ = worst({outcome_, kCannotTrust});
  }

  // Whatever the programs' exit codes claim, their files have the last word.
  void check_files() {
    check_file(kCampaignFile, [&] {
      run_.campaign = read_campaign(folder_);
      return run_.campaign.has_value();
    });
    check_file(kBenchFile, [&] {
      run_.bench = read_bench(folder_);
      return run_.bench.has_value();
    });
    if (run_.campaign) {
      outcome_ = worst({outcome_, outcome_of(headline(run_.campaign, night_).verdict)});
    }
  }

  template <class Read>
  void check_file(const char* name, const Read& read) {
    try {
      const bool excused = interrupted() || outcome_ == kBadUsage;
      if (!read() && !excused) add_trouble(fmt::format("{} was not written", name));
    } catch (const FileError& error) {
      add_trouble(error.what());
    }
  }

  void write_night() {
    night_.interrupted = interrupted();
    try {
      write_file(folder_ / kNightFile, night_.to_json());
    } catch (const FileError& error) {
      add_trouble(error.what());
    }
  }

  void print_summary() {
    run_.night = night_;
    for (const std::string& line : summary_lines(run_, page(), colour_of_stdout())) {
      fmt::print("{}\n", line);
    }
  }

  // Nothing when it could not be written.
  std::optional<fs::path> page() const {
    std::error_code error;
    if (!fs::exists(folder_ / kPageFile, error)) return std::nullopt;
    return folder_ / kPageFile;
  }

  const Programs& programs_;
  const NightlyOptions& options_;
  const fs::path& folder_;
  SignalGate gate_;
  Outcome outcome_ = kAsExpected;
  Night night_;
  RunFiles run_;
};

void add_ops(const NightlyOptions& options, Argv& argv) {
  if (!options.ops.empty()) argv.insert(argv.end(), {"--ops", options.ops});
}

}  // namespace

std::variant<Programs, std::string> find_programs() {
  Programs programs;
  const struct {
    Part part;
    const char* variable;
    std::string& path;
  } wanted[] = {{Part::kCampaign, "PRELAUNCH_CAMPAIGN", programs.campaign},
                {Part::kBench, "PRELAUNCH_BENCH", programs.bench},
                {Part::kReport, "PRELAUNCH_REPORT", programs.report}};
  for (const auto& [part, variable, path] : wanted) {
    const char* value = std::getenv(variable);
    const std::string missing = std::string(program_name(part)) + " is missing (" + variable;
    if (value == nullptr || *value == '\0') return missing + " is not set)";
    if (!is_executable_file(value)) return missing + "=" + value + " is no executable file)";
    path = value;
  }
  return programs;
}

Argv campaign_argv(const Programs& programs, const NightlyOptions& options,
                   const fs::path& folder) {
  const seconds budget = std::max(options.budget - bench_budget(options.budget), seconds(1));
  Argv argv = {programs.campaign, "--budget", seconds_text(budget), "--jobs",
               fmt::to_string(options.jobs)};
  add_ops(options, argv);
  if (options.seed) argv.insert(argv.end(), {"--seed", fmt::to_string(*options.seed)});
  argv.insert(argv.end(), {"--out", folder.string()});
  return argv;
}

Argv bench_argv(const Programs& programs, const NightlyOptions& options, const fs::path& folder) {
  Argv argv = {programs.bench, "--nightly",
               "--budget",     seconds_text(bench_budget(options.budget)),
               "--out",        (folder / kBenchFile).string()};
  add_ops(options, argv);
  return argv;
}

Outcome run_night(const Programs& programs, const NightlyOptions& options, const fs::path& folder) {
  return NightRun(programs, options, folder).run();
}

}  // namespace prelaunch::reports
