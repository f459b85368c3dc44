// The witness at the driver's door: CUPTI tells of every call of the driver's API as it begins,
// whoever makes it and by which way.
#pragma once

#include "fuzz/watch.h"

namespace prelaunch::fuzz {

// Begins to listen, on the first call. False where there is no driver to listen to, or another tool
// (a profiler, compute-sanitizer) listens already.
bool hears_driver();

// Since it listens.
Seen driver_calls();

}  // namespace prelaunch::fuzz
