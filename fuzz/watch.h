// The witnesses of 'before any launch', asked about a stretch of time:
//
//   Watch watch;
//   ... check, and perhaps launch ...
//   if (auto seen = watch.anything()) ...       // "the door saw a launch"
//
// They are independent of each other. The door counts what goes through it. In a CUDA tree the
// linker leads every call of the runtime past a counter, whoever calls (fuzz/cuda/runtime_calls.h),
// and where there is a GPU the driver tells of every call of its own (fuzz/cuda/driver_calls.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/common/door.h"

namespace prelaunch::fuzz {

// What a witness tells apart.
enum class Work : std::uint8_t { kLaunch, kAllocation, kCopy, kDeviceSet, kOther };
inline constexpr std::size_t kWorks = 5;
using Seen = std::array<std::uint64_t, kWorks>;

// "a launch", ...
std::string_view to_string(Work work);

constexpr std::uint32_t bit(Work work) { return 1u << static_cast<unsigned>(work); }
inline constexpr std::uint32_t kEveryWork = bit(Work::kOther) - 1;

struct Witness {
  std::string_view name;  // "the door"
  // Since the process began.
  Seen (*seen)();
  // The kinds that it must see; it may see more.
  std::uint32_t must_see = kEveryWork;
};

// Those of this tree that can see on this machine (witnesses_emulator.cc, cuda/witnesses_cuda.cc).
std::span<const Witness> witnesses();

// From its construction on.
class Watch {
 public:
  Watch();
  // The first witness that saw anything, and what: "the door saw a launch".
  std::optional<std::string> anything() const;
  // The first witness that saw no such work: "the door missed a launch".
  std::optional<std::string> missed(Work work) const;
  // What the door saw.
  door::Counts door() const { return door::counts() - door_; }

 private:
  static constexpr std::size_t kMostWitnesses = 3;
  door::Counts door_;
  std::array<Seen, kMostWitnesses> before_{};
};

}  // namespace prelaunch::fuzz
