// The command line of prelaunch-bench; `--help` tells it.
#pragma once

#include <chrono>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/entry.h"

namespace prelaunch::bench {

enum class Extent : std::uint8_t { kNightly, kFull, kSmoke };  // kSmoke: all, one iteration each

struct Options {
  Extent extent = Extent::kFull;
  std::optional<std::regex> filter;
  std::vector<std::string> ops;  // empty: all
  std::chrono::seconds budget{60};
  std::string out;  // empty: no file
  enum class Action : std::uint8_t { kRun, kList } action = Action::kRun;
};

// One line that says what was expected and what was given. Exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Nothing when help was asked for and printed. Throws UsageError.
std::optional<Options> parse_options(int argc, char** argv);

// Throws UsageError for an op that has no suite.
void check_ops(const Options& options, const std::vector<Suite>& suites);
// Of the suites, those of the ops asked for.
std::vector<Suite> choose_suites(const Options& options, const std::vector<Suite>& suites);
bool chosen(const Options& options, const Entry& entry);

}  // namespace prelaunch::bench
