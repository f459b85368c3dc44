// The device memory of all kernel benchmarks: one block of random bytes on device 0, as large as
// the largest of them needs, which all place their tensors in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/common/status.h"

namespace prelaunch::bench {

inline constexpr std::int64_t kArenaAlignment = 256;

class DeviceArena {
 public:
  // Makes it at least this large; on failure (no such memory) it is empty.
  Status reserve(std::int64_t bytes);
  // A multiple of kArenaAlignment.
  std::uintptr_t start() const { return reinterpret_cast<std::uintptr_t>(data_); }

 private:
  Status fill();

  void* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

// The program's only one; what it holds is the driver's to take back when the program ends.
DeviceArena& device_arena();

std::vector<std::byte> random_bytes(std::size_t count);

}  // namespace prelaunch::bench
