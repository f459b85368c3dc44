// What prelaunch-triage made of a campaign's findings: triage.json (schema prelaunch.triage/1).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/common/json_node.h"

namespace prelaunch::reports {

// Findings that are one bug, as far as can be told.
struct Bucket {
  std::string id;  // the same bug has the same id in every run
  std::string op, reason;
  std::optional<std::string> rule;    // full id, where one is concerned
  std::string description;            // one line
  std::string call, test;             // paths of the shrunk call and of the C++ test, to be shown
  std::string replay;                 // shell command line that reproduces it
  bool reproduced = false;            // whether the shrunk call failed again
  std::vector<std::string> findings;  // ids of campaign.json
  std::vector<std::string> also;      // other faces of it, a line each
};

struct Triage {
  std::vector<Bucket> buckets;
};

// Throws JsonError.
Triage parse_triage(std::string_view text);

}  // namespace prelaunch::reports
