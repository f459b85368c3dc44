// The last lines of a night: at most ten, for a terminal or a log.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/run.h"

namespace prelaunch::reports {

enum class Colour { kNever, kTerminal };
inline constexpr std::size_t kMostSummaryLines = 10;

// Verdict and reasons; how many buckets or findings, and how many of them are new; the first of
// them, each with its replay command; calls and rates;
// validation against the handwritten checks; where the page is. Printable whatever the run's files
// hold.
std::vector<std::string> summary_lines(const RunFiles& run,
                                       const std::optional<std::filesystem::path>& page,
                                       Colour colour);

}  // namespace prelaunch::reports
