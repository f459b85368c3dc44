#include "fuzz/campaign/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace prelaunch::fuzz {
namespace {

using std::chrono::seconds;

std::string thousands(std::uint64_t value) {
  std::string out = fmt::format("{}", value);
  for (std::size_t i = out.size(); i > 3;) out.insert(i -= 3, 1, ',');
  return out;
}

std::string clock_text(seconds left) {
  return fmt::format("{}:{:02}", left.count() / 60, left.count() % 60);
}

std::string text_of(const ProgressLine& line) {
  const double rate = line.seconds > 0 ? static_cast<double>(line.executions) / line.seconds : 0;
  return fmt::format("{:<24} {:>13} executions {:>9}/s {:>6} features {:>3} findings {:>6} left",
                     line.target, thousands(line.executions),
                     thousands(static_cast<std::uint64_t>(rate)), thousands(line.features),
                     line.findings, clock_text(line.left));
}

bool redraws() {
  const char* kind = std::getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && kind != nullptr && std::string_view(kind) != "dumb";
}

}  // namespace

Progress::Progress() : terminal_(redraws()), next_(std::chrono::steady_clock::now() + seconds{1}) {}

void Progress::show(const std::vector<ProgressLine>& lines) {
  if (std::chrono::steady_clock::now() < next_) return;
  next_ += terminal_ ? seconds{1} : seconds{10};
  print(lines);
}

void Progress::finish(const std::vector<ProgressLine>& lines) { print(lines); }

void Progress::print(const std::vector<ProgressLine>& lines) {
  // Up over the lines drawn before; each is cleared to its end.
  if (terminal_ && drawn_ > 0) fmt::print("\x1b[{}A", drawn_);
  for (const ProgressLine& line : lines) {
    fmt::print("{}{}\n", text_of(line), terminal_ ? "\x1b[K" : "");
  }
  drawn_ = lines.size();
  std::fflush(stdout);
}

}  // namespace prelaunch::fuzz
