#include "reports/format.h"

#include <fmt/format.h>

namespace prelaunch::reports {
namespace {

// Inserts commas into the digits before the point of a number in fixed notation.
std::string separate(std::string digits) {
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t start = digits.starts_with('-') ? 1 : 0;
  for (std::size_t i = point; i > start + 3;) digits.insert(i -= 3, 1, ',');
  return digits;
}

}  // namespace

std::string with_separators(std::uint64_t number) { return separate(fmt::to_string(number)); }

std::string with_separators(double number, int decimals) {
  // Beyond this the digits mean nothing, and a column of 300 of them helps nobody.
  if (number >= 1e18 || number <= -1e18) return fmt::format("{:.3g}", number);
  return separate(fmt::format("{:.{}f}", number, decimals));
}

std::string percent(double share) { return with_separators(100 * share, 1) + "\u00a0%"; }

std::string share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return kNone;
  return percent(static_cast<double>(part) / static_cast<double>(whole));
}

std::string plural(std::uint64_t number, const char* noun) {
  return fmt::format("{} {}{}", with_separators(number), noun, number == 1 ? "" : "s");
}

}  // namespace prelaunch::reports
