// A night: every part in turn, the page last.
#pragma once

#include <filesystem>

#include "reports/nightly_options.h"
#include "reports/part.h"

namespace prelaunch::reports {

// Runs the parts in `folder`, which must be writable, writes nightly.json before the page, and
// prints the summary. What dies, overruns or leaves no file makes the night untrusted and stops no
// other part. After an interrupt only the page is still made. A campaign that refuses its arguments
// before it has written anything ends the night with kBadUsage and without a page. Throws
// FileError.
Outcome run_night(const Programs& programs, const NightlyOptions& options,
                  const std::filesystem::path& folder);

}  // namespace prelaunch::reports
