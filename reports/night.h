// What prelaunch-nightly knows about a run and its parts' files do not: nightly.json, written
// beside them before the page is made (schema prelaunch.nightly/1):
//   {"schema", "interrupted": bool, "troubles": ["prelaunch-bench was killed by signal 11", ..]}
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/campaign.h"

namespace prelaunch::reports {

struct Night {
  bool interrupted = false;
  std::vector<std::string> troubles;  // each makes the run untrusted

  std::string to_json() const;
};

// Throws JsonError.
Night parse_night(std::string_view text);

// The first thing that a reader sees.
struct Headline {
  RunVerdict verdict = RunVerdict::kUntrusted;
  std::vector<std::string> reasons;
};

// The campaign's verdict and reasons, unless something speaks against them: no campaign, a trouble
// of the night, "clean" beside findings or without a single call run. Then the run is untrusted.
Headline headline(const std::optional<Campaign>& campaign, const Night& night);

}  // namespace prelaunch::reports
