// What the readers of a run's files share.
#pragma once

#include <string>
#include <string_view>

#include "kernels/common/json_node.h"

namespace prelaunch::reports {

// Throws JsonError unless the value is this text.
inline void expect_text(const Node& node, std::string_view text) {
  if (node.text() != text) node.unexpected("\"" + std::string(text) + "\"");
}

}  // namespace prelaunch::reports
