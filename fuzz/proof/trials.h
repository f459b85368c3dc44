// Tries, each of which may end the process: run in children, a new one from where the last ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace prelaunch::fuzz {

struct Trial {
  enum class End : std::uint8_t {
    kFinished,
    kDied,      // it ended its process
    kTimedOut,  // after half a minute
  };
  End end = End::kFinished;
  // What it last wrote.
  std::uint32_t value = 0;
  double seconds = 0;
};

// Tries number i; may write to `value` at any time.
using TryOne = std::function<void(std::size_t i, std::atomic<std::uint32_t>& value)>;

// Tries each number below `count`; what goes to standard output and error is dropped. Throws
// FileError where no child can be started.
std::vector<Trial> run_trials(std::size_t count, const TryOne& try_one);

}  // namespace prelaunch::fuzz
