#include "fuzz/campaign/log.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>

#include "kernels/common/escape.h"

namespace prelaunch::fuzz {
namespace {

std::uint64_t number_after(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == text.npos) return 0;
  text.remove_prefix(at + key.size());
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The rest of the last line that holds `key`, from behind it; empty when there is none.
std::string_view rest_of_line(std::string_view log, std::string_view key) {
  const auto at = log.rfind(key);
  if (at == log.npos) return {};
  log.remove_prefix(at + key.size());
  return log.substr(0, log.find('\n'));
}

std::string_view word_after(std::string_view line, std::string_view key) {
  const auto at = line.find(key);
  if (at == line.npos) return {};
  line.remove_prefix(at + key.size());
  return line.substr(0, line.find(' '));
}

// A reason names files: a line that was cut off or is not the oracle's has none to give.
bool is_name(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  return !text.empty() && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

// Folders of the machine say nothing to a reader and differ between machines.
std::string without_folders(std::string_view line) {
  std::string out;
  while (!line.empty()) {
    const auto space = std::min(line.find(' '), line.size());
    std::string_view word = line.substr(0, space);
    const auto slash = word.rfind('/');
    if (slash != word.npos) word.remove_prefix(slash + 1);
    out.append(out.empty() ? "" : " ").append(word);
    line.remove_prefix(std::min(space + 1, line.size()));
  }
  return out;
}

struct Report {
  std::string_view key, reason;
};

// Most telling first: libFuzzer closes every log of a crash with a summary of its own.
constexpr auto kReports = std::to_array<Report>({
    {"emulator fault: ", "emulator_fault"},
    {"SUMMARY: AddressSanitizer: ", "address_sanitizer"},
    {"SUMMARY: UndefinedBehaviorSanitizer: ", "undefined_behavior_sanitizer"},
    {"SUMMARY: libFuzzer: timeout", "timeout"},
    {"SUMMARY: libFuzzer: out-of-memory", "out_of_memory"},
    {"SUMMARY: libFuzzer: ", "libfuzzer"},
});

// "use-after-poison kernel.cu:57:26": of a sanitizer's summary the kind, of its stack the kernel's
// line. The top frame is often the emulator's, which differs between two ways to the same bug.
std::string kernel_line(std::string_view log, std::string_view summary) {
  const auto report = log.rfind("ERROR: AddressSanitizer");
  const std::string_view stack = report == log.npos ? std::string_view{} : log.substr(report);
  const auto file = stack.find("/kernel.cu:");
  if (file == stack.npos) return without_folders(summary);
  const std::string_view line = stack.substr(file + 1);
  return without_folders(summary.substr(0, summary.find(' '))) + " " +
         std::string(line.substr(0, line.find_first_of(" )\n")));
}

}  // namespace

LogProgress read_progress(std::string_view log) {
  const auto at = log.rfind(" ft: ");
  if (at == log.npos) return {};
  const std::string_view line = log.substr(at, log.substr(at).find('\n'));
  return {number_after(line, " ft: "), number_after(line, " corp: ")};
}

bool tells_counters(std::string_view log) {
  const std::size_t at = log.find(" inline 8-bit counters)");
  // "INFO: Loaded 1 modules   (9476 inline 8-bit counters): 9476 [...)"
  return at != log.npos && !log.substr(0, at).ends_with("(0");
}

LogFinding read_finding(std::string_view log) {
  if (const std::string_view line = rest_of_line(log, "prelaunch finding: "); !line.empty()) {
    const std::string_view reason = word_after(line, "reason=");
    const std::string_view rule = word_after(line, "rule=");
    const auto detail = line.find("detail=");
    if (is_name(reason)) {
      return {std::string(reason), visible(rule == "none" ? "" : rule),
              visible(detail == line.npos ? line : line.substr(detail + 7))};
    }
  }
  for (const Report& report : kReports) {
    if (log.rfind(report.key) == log.npos) continue;
    const std::string_view line = rest_of_line(log, report.key);
    if (line.empty()) return {std::string(report.reason), "", std::string(report.reason)};
    // The emulator says what is wrong; a sanitizer's summary only where.
    const bool said = report.reason == "emulator_fault";
    return {std::string(report.reason), "", visible(said ? line : kernel_line(log, line))};
  }
  return {"ended", "", "the log gives no reason"};
}

std::string read_head(const std::filesystem::path& path, std::size_t limit) {
  std::ifstream in(path, std::ios::binary);
  std::string out(limit, '\0');
  in.read(out.data(), static_cast<std::streamsize>(limit));
  out.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return out;
}

std::string read_tail(const std::filesystem::path& path, std::size_t limit) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return {};
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(in.tellg(), 0));
  const std::size_t count = std::min(size, limit);
  in.seekg(static_cast<std::streamoff>(size - count));
  std::string out(count, '\0');
  in.read(out.data(), static_cast<std::streamsize>(count));
  out.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return out;
}

}  // namespace prelaunch::fuzz
