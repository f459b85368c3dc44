// Durations and times of day as people write them on a command line.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace prelaunch {

// "90s", "30m", "1h30m", "2h"; a plain number is seconds. Units come in the order h, m, s, each at
// most once. Nothing for any other text, for 0, and for more than kLongestDuration.
std::optional<std::chrono::seconds> parse_duration(std::string_view text);
inline constexpr std::chrono::hours kLongestDuration{1000};

// How long from `now` to the next "HH:MM", both local times of day, `now` as seconds since
// midnight: from a second to a day. Nothing for any text that is no time from 00:00 to 23:59. A
// change of the clocks in between is not taken into account.
std::optional<std::chrono::seconds> time_until(std::string_view clock, std::chrono::seconds now);

// The local time of day, in seconds since midnight.
std::chrono::seconds local_time_of_day();

// "1 h 30 min", "29 min 5 s", "12.3 s" (tenths below a minute only), from seconds of 0 or more.
std::string format_duration(double seconds);

}  // namespace prelaunch
