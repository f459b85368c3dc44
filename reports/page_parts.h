// The parts of the page, in the order they are read; page.cc puts them together.
#pragma once

#include "reports/html.h"
#include "reports/page.h"

namespace prelaunch::reports {

// The verdict, why, and the figures of the run in one row.
void write_headline(Html& html, const RunFiles& run);
// Each finding in a line, with the command that reproduces it.
void write_findings(Html& html, const Campaign& campaign);
void write_targets(Html& html, const Campaign& campaign);
// The rules that no call of the campaign has broken, per op.
void write_silent_rules(Html& html, const Campaign& campaign);
// What validation costs, the kernels' times, and benchmarks of any other name.
void write_benchmarks(Html& html, const std::optional<BenchRun>& bench);
// Where and how both were made, and where they differ though they should not.
void write_context(Html& html, const RunFiles& run);

}  // namespace prelaunch::reports
