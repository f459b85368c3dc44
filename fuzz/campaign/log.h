// What a fuzzer's log says: its progress, and why it ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace prelaunch::fuzz {

struct LogProgress {
  std::uint64_t features = 0;
  std::uint64_t corpus = 0;
};

// The last "ft: N corp: M/..." of a libFuzzer log; zeros where there is none yet.
LogProgress read_progress(std::string_view log);

// Whether a libFuzzer log says that it was given counters that guide it.
bool tells_counters(std::string_view log);

// Why the process ended, as the last report in its log tells it. A terminal may show it.
struct LogFinding {
  std::string reason;  // "wrong_result", "emulator_fault", "address_sanitizer", "timeout", ...
  std::string rule;    // the rule that fired, or empty
  std::string detail;  // one line
};

LogFinding read_finding(std::string_view log);

// The first part of the file, at most `limit` bytes; empty when it cannot be read.
std::string read_head(const std::filesystem::path& path, std::size_t limit);
// The last part of the file, at most `limit` bytes; empty when it cannot be read.
std::string read_tail(const std::filesystem::path& path, std::size_t limit);

}  // namespace prelaunch::fuzz
