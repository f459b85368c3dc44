// The parts of the page, in the order they are read; page.cc puts them together.
#pragma once

#include "reports/html.h"
#include "reports/page.h"

namespace prelaunch::reports {

// The verdict, why, and the figures of the run in one row.
void write_headline(Html& html, const RunFiles& run);
// What was found, new things first, each with the command that reproduces it; then what the last
// run found and this one did not; then what the ledger knows. For a run with a campaign.
void write_findings(Html& html, const RunFiles& run);
// Each target's work, beside that of the last run. For a run with a campaign.
void write_targets(Html& html, const RunFiles& run);
// How much of each contract is covered.
void write_coverage(Html& html, const RunFiles& run);
// The rules that no call of the campaign has broken, per op.
void write_silent_rules(Html& html, const Campaign& campaign);
// The bugs that were planted, and after how long they were found again.
void write_probe(Html& html, const RunFiles& run);
// What validation costs, the kernels' times, and benchmarks of any other name.
void write_benchmarks(Html& html, const std::optional<BenchRun>& bench);
// Where and how both were made, and where they differ though they should not.
void write_context(Html& html, const RunFiles& run);

}  // namespace prelaunch::reports
