// Ctrl-C and its like end a campaign or a merge in order: they are noted, and asked for.
#pragma once

namespace prelaunch::fuzz {

// Notes SIGINT and SIGTERM from now on, and forgets what was noted before.
void catch_interrupts();

bool interrupted();

}  // namespace prelaunch::fuzz
