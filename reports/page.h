// The page of a run: one self-contained HTML document, read in the morning. Without scripts and
// without anything from outside, so it can be mailed, archived, opened from a disk and printed.
#pragma once

#include <string>

#include "reports/run.h"

namespace prelaunch::reports {

std::string make_page(const RunFiles& run);

}  // namespace prelaunch::reports
