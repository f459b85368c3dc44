// The page of a run: one self-contained HTML document, read in the morning. Without scripts and
// without anything from outside, so it can be mailed, archived, opened from a disk and printed.
#pragma once

#include <optional>
#include <string>

#include "reports/bench_run.h"
#include "reports/campaign.h"
#include "reports/night.h"

namespace prelaunch::reports {

// What the run left behind; the page says what is absent.
struct RunFiles {
  std::optional<Campaign> campaign;
  std::optional<BenchRun> bench;
  Night night;
};

std::string make_page(const RunFiles& run);

}  // namespace prelaunch::reports
