// The command line of prelaunch-nightly.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>

namespace prelaunch::reports {

struct NightlyOptions {
  std::chrono::seconds budget = std::chrono::minutes(30);
  unsigned jobs = 1;
  std::string ops;     // "a,b"; empty for all
  std::string engine;  // "libfuzzer" or "afl"; empty for the campaign's own choice
  std::optional<std::uint64_t> seed;
  std::optional<std::filesystem::path> out;  // nothing: a new folder, see default_run_folder()
};

// The text that --help asked for; what is wrong with the arguments, in one line.
struct HelpText {
  std::string text;
};
struct UsageError {
  std::string text;
};

std::variant<NightlyOptions, HelpText, UsageError> parse_nightly_options(int argc,
                                                                         const char* const* argv);

// The part of a budget that the benchmarks get: a quarter, at most a minute, at least a second.
std::chrono::seconds bench_budget(std::chrono::seconds budget);

}  // namespace prelaunch::reports
