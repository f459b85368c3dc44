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

std::optional<BenchRun> read_bench(const std::filesystem::path& folder) {
  return read(folder / kBenchFile, parse_bench);
}

RunFiles read_run(const std::filesystem::path& folder) {
  return {.campaign = read_campaign(folder),
          .bench = read_bench(folder),
          .night = read(folder / kNightFile, parse_night).value_or(Night{})};
}

}  // namespace prelaunch::reports
