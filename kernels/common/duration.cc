#include "kernels/common/duration.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <ctime>

namespace prelaunch {
namespace {

constexpr std::string_view kUnits = "hms";
constexpr std::int64_t kUnitSeconds[] = {3600, 60, 1};
constexpr std::int64_t kLongest = std::chrono::seconds(kLongestDuration).count();

// Takes digits off the front of `rest`; nothing when there are none or too many.
std::optional<std::int64_t> take_number(std::string_view& rest) {
  std::int64_t number = 0;
  if (rest.empty() || rest[0] == '-') return std::nullopt;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || number > kLongest) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return number;
}

std::optional<std::chrono::seconds> within_bounds(std::int64_t seconds) {
  if (seconds < 1 || seconds > kLongest) return std::nullopt;
  return std::chrono::seconds(seconds);
}

// Of exactly two digits, below `end`.
std::optional<int> two_digits(std::string_view text, int end) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.size() != 2 || !is_digit(text[0]) || !is_digit(text[1])) return std::nullopt;
  const int number = 10 * (text[0] - '0') + text[1] - '0';
  return number < end ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<std::chrono::seconds> parse_duration(std::string_view text) {
  std::int64_t total = 0;
  for (std::size_t allowed = 0; !text.empty();) {
    const bool first = allowed == 0;
    const auto number = take_number(text);
    if (!number) return std::nullopt;
    if (text.empty()) return first ? within_bounds(*number) : std::nullopt;
    const std::size_t unit = kUnits.find(text[0], allowed);
    if (unit == std::string_view::npos) return std::nullopt;
    total += *number * kUnitSeconds[unit];
    text.remove_prefix(1);
    allowed = unit + 1;
  }
  return within_bounds(total);
}

std::optional<std::chrono::seconds> time_until(std::string_view clock, std::chrono::seconds now) {
  constexpr std::chrono::seconds kDay = std::chrono::hours(24);
  if (clock.size() != 5 || clock[2] != ':') return std::nullopt;
  const auto hours = two_digits(clock.substr(0, 2), 24), minutes = two_digits(clock.substr(3), 60);
  if (!hours || !minutes) return std::nullopt;
  const std::chrono::seconds then = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
  return then > now ? then - now : then - now + kDay;
}

std::chrono::seconds local_time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return std::chrono::hours(local.tm_hour) + std::chrono::minutes(local.tm_min) +
         std::chrono::seconds(local.tm_sec);
}

std::string format_duration(double seconds) {
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const double minutes = std::floor(std::round(seconds) / 60);
  if (minutes < 60)
    return fmt::format("{:.0f} min {:.0f} s", minutes, std::round(seconds) - 60 * minutes);
  const double whole = std::round(seconds / 60);
  const double hours = std::floor(whole / 60);
  return fmt::format("{:.0f} h {:.0f} min", hours, whole - 60 * hours);
}

}  // namespace prelaunch
