// The witness matrix: for each rule, the stored call that shows what it is for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuzz/campaign/replay.h"

namespace prelaunch::fuzz {

// What became of a call whose rule was left out, the worst last.
enum class Skipped : std::uint8_t {
  kNotRun,       // accepted, and too large for the emulator
  kNone,         // accepted, run, and right
  kRule,         // rejected by another rule
  kWrongResult,  // accepted, run, and an output or a byte beside it is wrong
  kFault,        // the contract, the launch or the kernel faulted, or the launch failed
};

struct Consequence {
  Skipped skipped = Skipped::kNotRun;
  std::size_t rule = kNoRule;  // kRule: the other one
};
// "fault", "wrong_result", "rule:<id>", "none".
std::string to_string(const OpInfo& op, const Consequence& consequence);

// The accepted call next to one that is rejected, and the edit that makes the one the other.
struct Neighbour {
  const StoredCall* call;
  std::string edit;
};

struct Witnessed {
  std::size_t rule = kNoRule;
  // Null where no stored call is a sole violation of the rule.
  const StoredCall* call = nullptr;
  Consequence consequence;
  std::optional<Neighbour> neighbour;
  // Why the rule is not shown to be needed; empty where it is.
  std::string finding;
};

// One for each rule of the op, in order. `calls` are the op's; they are judged in child processes.
std::vector<Witnessed> witness_matrix(const OpInfo& op, const std::vector<StoredCall>& calls);

}  // namespace prelaunch::fuzz
