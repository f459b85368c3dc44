// The witnesses of 'before any launch'. So far one: the door's own counter.
#pragma once

#include <optional>
#include <string>

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

// Sends one of each kind of work through the door, a good call of the op last, and asks the witness
// whether it saw it. What it missed, in one line; nothing when it sees. A witness that is blind
// makes every rejection look clean, so a campaign asks first.
std::optional<std::string> blind_witness(const OpInfo& op);

}  // namespace prelaunch::fuzz
