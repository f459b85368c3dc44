#include "bench/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace prelaunch::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Progress {
  Clock::time_point started, next;
  double seconds = 0;
  bool terminal = false;
};
Progress progress;

}  // namespace

void progress_start(double seconds) {
  progress = {Clock::now(), Clock::now(), seconds, ::isatty(STDERR_FILENO) == 1};
}

void progress_tick() {
  const auto now = Clock::now();
  if (now < progress.next || progress.seconds <= 0) return;
  progress.next = now + (progress.terminal ? std::chrono::seconds(1) : std::chrono::seconds(10));
  const double elapsed = std::chrono::duration<double>(now - progress.started).count();
  fmt::print(stderr, "{}prelaunch bench: {:.0f} s of about {:.0f} s{}",
             progress.terminal ? "\r" : "", elapsed, progress.seconds,
             progress.terminal ? "  " : "\n");
  std::fflush(stderr);
}

void progress_end() {
  if (progress.terminal && progress.seconds > 0) fmt::print(stderr, "\n");
  progress.seconds = 0;
}

}  // namespace prelaunch::bench
