#include "reports/run_files.h"

#include "kernels/common/escape.h"
#include "reports/files.h"

namespace prelaunch::reports {
namespace {

template <class Parsed>
std::optional<Parsed> read(const std::filesystem::path& path, Parsed (*parse)(std::string_view)) {
  const auto text = read_file(path);
  if (!text) return std::nullopt;
  try {
    return parse(*text);
  } catch (const JsonError& error) {
    throw FileError(visible(path.string()) + ": " + error.what());
  }
}

}  // namespace

std::optional<Campaign> read_campaign(const std::filesystem::path& folder) {
  return read(folder / kCampaignFile, parse_campaign);
}

std::optional<Triage> read_triage(const std::filesystem::path& folder) {
  return read(folder / kTriageFile, parse_triage);
}

std::optional<Probe> read_probe(const std::filesystem::path& folder) {
  return read(folder / kProbeFile, parse_probe);
}

std::optional<Coverage> read_coverage(const std::filesystem::path& folder) {
  return read(folder / kCoverageFile, parse_coverage);
}

std::optional<BenchRun> read_bench(const std::filesystem::path& folder) {
  return read(folder / kBenchFile, parse_bench);
}

RunFiles read_run(const std::filesystem::path& folder) {
  return {.campaign = read_campaign(folder),
          .bench = read_bench(folder),
          .night = read(folder / kNightFile, parse_night).value_or(Night{}),
          .triage = read_triage(folder),
          .probe = read_probe(folder),
          .coverage = read_coverage(folder),
          .previous = {}};
}

}  // namespace prelaunch::reports
