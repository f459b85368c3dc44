// A figure beside the one of the last run.
#pragma once

#include <optional>
#include <string>

#include "reports/html.h"

namespace prelaunch::reports {

// Machines are noisy: a figure that fell by less than this share of its last value is not marked.
inline constexpr double kMarkedFall = 0.2;

// "+1,234 (+5.0 %)", "-12" where the last value was 0, "=" where nothing changed.
std::string change_text(double now, double before);

// The cell with the difference as its note, marked where the figure fell by kMarkedFall; as it is
// without a last value.
Cell with_change(Cell cell, double now, std::optional<double> before);

}  // namespace prelaunch::reports
