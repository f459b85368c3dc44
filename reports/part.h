// What a night runs: one entry for each program. A new part is a new entry, and a line in what sets
// the environment.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "reports/nightly_options.h"
#include "reports/outcome.h"
#include "reports/process.h"
#include "reports/run.h"

namespace prelaunch::reports {

struct Part {
  const char* program;   // "prelaunch-campaign"
  const char* variable;  // of the environment, holds its path
  const char* file;      // what it must leave in the folder of the run
  // Its documented exit codes but 3. A kBadUsage among them counts only where `file` was not begun.
  std::vector<Outcome> documented;
  // What it is told, after its own path.
  Argv (*arguments)(const NightlyOptions& options, const std::filesystem::path& folder);
  // Its share of the budget; null where it is told none.
  std::chrono::seconds (*budget)(const NightlyOptions& options);
  // After its share and this it is stopped.
  std::chrono::seconds limit;
  // Reads `file` into the run; false where it is absent. Throws FileError.
  bool (*read)(RunFiles& run, const std::filesystem::path& folder);
  // Whether what was read says by itself why the run is untrusted; null where it never does.
  bool (*says_why)(const RunFiles& run);
  OnInterrupt on_interrupt = OnInterrupt::kForward;
};

// In the order in which they run; the last one makes the page.
std::span<const Part> parts();

// The paths of the programs, in the order of parts().
using Programs = std::vector<std::string>;

// From the environment, or what is wrong with the first that is not set, missing or not
// executable: "prelaunch-bench is missing (PRELAUNCH_BENCH is not set)".
std::variant<Programs, std::string> find_programs();

}  // namespace prelaunch::reports
