// What a run says on standard error while it runs: on a terminal one line that is rewritten,
// elsewhere a plain line now and then.
#pragma once

namespace prelaunch::bench {

// `seconds` is how long the run is meant to take.
void progress_start(double seconds);
// Called by each benchmark before its timed loop.
void progress_tick();
void progress_end();

}  // namespace prelaunch::bench
