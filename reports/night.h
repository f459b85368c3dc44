// What prelaunch-nightly knows about a run and its parts' files do not: nightly.json, written
// beside them before the page is made (schema prelaunch.nightly/1):
//   {"schema", "interrupted": bool, "troubles": ["prelaunch-bench was killed by signal 11", ..]}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/common/json_node.h"

namespace prelaunch::reports {

struct Night {
  bool interrupted = false;
  std::vector<std::string> troubles = {};  // each makes the run untrusted

  std::string to_json() const;
};

// Throws JsonError.
Night parse_night(std::string_view text);

}  // namespace prelaunch::reports
