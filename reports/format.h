// Numbers as the page and the summary show them.
#pragma once

#include <cstdint>
#include <string>

namespace prelaunch::reports {

// What stands where a number is not known.
inline constexpr const char* kNone = "\u2013";

// "12,345,678"
std::string with_separators(std::uint64_t number);
// "1,234.5": `decimals` digits after the point.
std::string with_separators(double number, int decimals);
// "41.2 %" of a share in 0..1.
std::string percent(double share);
// The share of `part` in `whole` as percent(); kNone of nothing.
std::string share(std::uint64_t part, std::uint64_t whole);
// "1 finding", "2 findings", "1,200 findings"
std::string plural(std::uint64_t number, const char* noun);

}  // namespace prelaunch::reports
