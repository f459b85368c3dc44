// The files of a run, read from its folder.
#pragma once

#include <filesystem>

#include "reports/run.h"

namespace prelaunch::reports {

inline constexpr const char* kCampaignFile = "campaign.json";
inline constexpr const char* kTriageFile = "triage.json";
inline constexpr const char* kProbeFile = "probe.json";
inline constexpr const char* kCoverageFile = "coverage.json";
inline constexpr const char* kBenchFile = "bench.json";
inline constexpr const char* kNightFile = "nightly.json";
inline constexpr const char* kPageFile = "index.html";

// Nothing when the file is absent. Throws FileError, or one whose text is "<file>: <path in it>:
// expected a number, got "x"".
std::optional<Campaign> read_campaign(const std::filesystem::path& folder);
std::optional<Triage> read_triage(const std::filesystem::path& folder);
std::optional<Probe> read_probe(const std::filesystem::path& folder);
std::optional<Coverage> read_coverage(const std::filesystem::path& folder);
std::optional<BenchRun> read_bench(const std::filesystem::path& folder);

// All of them, without a previous run; a night that left no file had no troubles.
RunFiles read_run(const std::filesystem::path& folder);

}  // namespace prelaunch::reports
