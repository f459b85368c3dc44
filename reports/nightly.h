// A night: the campaign, then the benchmarks, then the page.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "reports/nightly_options.h"
#include "reports/outcome.h"

namespace prelaunch::reports {

// The three programs, each an executable file.
struct Programs {
  std::string campaign, bench, report;
};

// From PRELAUNCH_CAMPAIGN, PRELAUNCH_BENCH and PRELAUNCH_REPORT, or what is wrong with the first
// that is not set, missing or not executable: "prelaunch-bench is missing (PRELAUNCH_BENCH is not
// set)".
std::variant<Programs, std::string> find_programs();

// The command lines.
Argv campaign_argv(const Programs& programs, const NightlyOptions& options,
                   const std::filesystem::path& folder);
Argv bench_argv(const Programs& programs, const NightlyOptions& options,
                const std::filesystem::path& folder);

// Runs the three in `folder`, which must be writable, writes nightly.json between the benchmarks
// and the page, and prints the summary. Throws FileError.
Outcome run_night(const Programs& programs, const NightlyOptions& options,
                  const std::filesystem::path& folder);

}  // namespace prelaunch::reports
