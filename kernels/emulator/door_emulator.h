// What tests and fuzzers set on the emulated door beyond kernels/common/door.h.
#pragma once

#include <cstdint>

namespace prelaunch::emulator {

inline constexpr std::int64_t kDefaultAllocationLimit = std::int64_t{256} << 20;

// door::allocate fails for more than this many bytes, as a device without that much memory would.
void set_allocation_limit(std::int64_t bytes);

}  // namespace prelaunch::emulator
