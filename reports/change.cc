#include "reports/change.h"

#include <cmath>

#include "reports/format.h"

namespace prelaunch::reports {
namespace {

std::string sign(double number) { return number < 0 ? "\u2212" : "+"; }

}  // namespace

std::string change_text(double now, double before) {
  const double difference = std::round(now - before);
  if (difference == 0) return "=";
  std::string text = sign(difference) + with_separators(std::abs(difference), 0);
  if (before > 0) {
    const double share = (now - before) / before;
    text += " (" + sign(share) + percent(std::abs(share)) + ")";
  }
  return text;
}

Cell with_change(Cell cell, double now, std::optional<double> before) {
  if (!before) return cell;
  cell.note = change_text(now, *before);
  if (now <= (1 - kMarkedFall) * *before && now < *before) cell.note_tone = Tone::kWarn;
  return cell;
}

}  // namespace prelaunch::reports
