// Runs a night in a sandbox.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "fuzz/campaign/process.h"
#include "fuzz/sabotage/sandbox.h"

namespace prelaunch::fuzz {

class Night {
 public:
  // Starts it; its output goes to sandbox.log().
  Night(const Sandbox& sandbox, std::chrono::seconds budget);
  // Ends what still runs.
  ~Night();

  int pid() const { return pid_; }
  // The exit code once it has ended, 128 + n for signal n.
  std::optional<int> poll();

 private:
  Process process_;
  int pid_ = 0;
};

// The first line of what the night said, or of its reasons in campaign.json, that holds `part`;
// empty where none does.
std::string line_with(const Sandbox& sandbox, std::string_view part);

}  // namespace prelaunch::fuzz
