// The witnesses of 'before any launch'. So far one: the door's own counter.
#pragma once

#include <optional>
#include <string>

namespace prelaunch::fuzz {

// Sends one of each kind of work through the door and asks the witness whether it saw it. What it
// missed, in one line; nothing when it sees. A witness that is blind makes every rejection look
// clean, so a campaign asks first.
std::optional<std::string> blind_witness();

}  // namespace prelaunch::fuzz
