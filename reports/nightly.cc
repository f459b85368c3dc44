#include "reports/nightly.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "kernels/common/duration.h"
#include "kernels/common/escape.h"
#include "reports/files.h"
#include "reports/previous.h"
#include "reports/run_files.h"
#include "reports/summary.h"

namespace prelaunch::reports {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr seconds kGrace{60};

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
    const std::size_t page = parts().size() - 1;
    for (std::size_t i = 0; i < page && !interrupted(); ++i) {
      run_part(i);
      if (outcome_ == kBadUsage) return outcome_;  // the campaign has said what is wrong
    }
    write_night();
    // Whatever the exit codes claim, the files have the last word.
    outcome_ = worst({outcome_, outcome_of(headline(run_).verdict)});
    run_part(page);
    print_summary();
    return outcome_;
  }

 private:
  // A program that dies before it writes must not leave yesterday's result standing.
  void remove_earlier_results() {
    for (const Part& part : parts()) remove_file(folder_ / part.file);
    remove_file(folder_ / kNightFile);
  }

  bool interrupted() { return gate_.interrupted() || outcome_ == kInterrupted; }

  void run_part(std::size_t index) {
    const Part& part = parts()[index];
    const seconds budget = part.budget == nullptr ? seconds(0) : part.budget(options_);
    announce(part, budget);
    Argv argv = part.arguments(options_, folder_);
    argv.insert(argv.begin(), programs_[index]);
    std::fflush(nullptr);
    const bool before = gate_.interrupted();
    const Exit exit =
        gate_.run(argv, {.limit = budget + part.limit, .grace = kGrace}, part.on_interrupt);
    // A child that an interrupt ended, one way or another, is no trouble of its own.
    const bool was_told = part.on_interrupt == OnInterrupt::kForward;
    const bool ended_by_interrupt = was_told && !before && gate_.interrupted();
    take_results(part, exit, ended_by_interrupt ? kInterrupted : meaning(part, exit));
    if (gate_.interrupted()) outcome_ = kInterrupted;
  }

  // Bad usage is the user's only as long as nothing was begun.
  Outcome meaning(const Part& part, const Exit& exit) const {
    const Outcome outcome = outcome_of(exit, part.documented);
    std::error_code error;
    const bool begun = fs::exists(folder_ / part.file, error);
    return outcome == kBadUsage && begun ? kCannotTrust : outcome;
  }

  void take_results(const Part& part, const Exit& exit, Outcome outcome) {
    std::string unreadable;
    bool left = true;
    try {
      left = part.read(run_, folder_);
    } catch (const FileError& error) {
      unreadable = error.what();
    }
    if (outcome == kCannotTrust && !says_why(part, exit)) {
      add_trouble(describe_trouble(part.program, exit));
    }
    const bool finished =
        outcome != kCannotTrust && outcome != kInterrupted && outcome != kBadUsage;
    if (finished && !left) add_trouble(fmt::format("{} left no {}", part.program, part.file));
    if (!unreadable.empty()) add_trouble(unreadable);
    outcome_ = worst({outcome_, outcome});
  }

  // Whether the headline has the reason already, in the part's own words.
  bool says_why(const Part& part, const Exit& exit) const {
    const bool by_itself = exit.signal == 0 && !exit.overran && exit.status == kCannotTrust;
    return by_itself && part.says_why != nullptr && part.says_why(run_);
  }

  void announce(const Part& part, seconds budget) {
    const auto time = static_cast<double>(budget.count());
    note(part.program + (budget > seconds(0) ? ", " + format_duration(time) : ""));
  }

  void add_trouble(std::string trouble) {
    note("the result cannot be trusted: " + visible(trouble));
    run_.night.troubles.push_back(std::move(trouble));
    outcome_ = worst({outcome_, kCannotTrust});
  }

  void write_night() {
    run_.night.interrupted = interrupted();
    try {
      write_file(folder_ / kNightFile, run_.night.to_json());
    } catch (const FileError& error) {
      add_trouble(error.what());
    }
  }

  void print_summary() {
    run_.previous = find_previous(folder_, run_.campaign);
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
  RunFiles run_;
};

}  // namespace

Outcome run_night(const Programs& programs, const NightlyOptions& options, const fs::path& folder) {
  return NightRun(programs, options, folder).run();
}

}  // namespace prelaunch::reports
