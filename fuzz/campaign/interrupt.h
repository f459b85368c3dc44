// Ctrl-C and its like end a campaign or a merge in order: they are noted, and asked for.
#pragma once

#include <stdexcept>

namespace prelaunch::fuzz {

// Notes SIGINT and SIGTERM from now on, and forgets what was noted before.
void catch_interrupts();

bool interrupted();

// What work that stops for it throws; a tool ends with exit code 130 (tool.h).
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace prelaunch::fuzz
