// What prelaunch-probe found again of the bugs that it had planted: probe.json (schema
// prelaunch.probe/1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/common/json_node.h"

namespace prelaunch::reports {

// A target into which one bug was planted.
struct Probed {
  std::string op, profile;    // "validate" or "execute"
  std::string planted, what;  // "deletion:17", and what that is in one line
  bool found = false;
  double seconds = 0;  // until it was found, or given up
  double limit = 0;    // seconds that it had
};

struct Probe {
  std::uint64_t seed = 0;
  std::vector<Probed> targets;

  // Why the fuzzers cannot be believed, a sentence each: what they did not find, or that none was
  // tried.
  std::vector<std::string> doubts() const;
};

// Throws JsonError.
Probe parse_probe(std::string_view text);

}  // namespace prelaunch::reports
