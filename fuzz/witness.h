// Whether the witnesses of 'before any launch' (watch.h) see.
#pragma once

#include <optional>
#include <string>

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

// Sends one of each kind of work through the door, a good call of the op last, and asks the
// witnesses whether they saw it. What one missed, in one line; nothing when it sees. A witness that
// is blind makes every rejection look clean, so a campaign asks first.
std::optional<std::string> blind_witness(const OpInfo& op);

}  // namespace prelaunch::fuzz
