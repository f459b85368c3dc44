#include "bench/device_arena.h"

#include <algorithm>

#include "kernels/common/choices.h"
#include "kernels/common/door.h"

namespace prelaunch::bench {

std::vector<std::byte> random_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  Choices choose(std::uint64_t{1});
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(choose.below(256));
  return bytes;
}

DeviceArena& device_arena() {
  static DeviceArena arena;
  return arena;
}

Status DeviceArena::reserve(std::int64_t bytes) {
  if (bytes <= bytes_) return {};
  const door::DeviceGuard guard(0);
  if (data_ != nullptr) {
    if (Status status = door::release(data_, nullptr); !status.ok()) return status;
    // What is freed is there for the next allocation only after a synchronisation.
    if (Status status = door::synchronize(nullptr); !status.ok()) return status;
  }
  data_ = nullptr;
  bytes_ = 0;
  if (Status status = door::allocate("bench", bytes, nullptr, &data_); !status.ok()) return status;
  bytes_ = bytes;
  return fill();
}

// Zeros would let the memory's lines toggle less than they do in use.
Status DeviceArena::fill() {
  static const std::vector<std::byte> block = random_bytes(std::size_t{16} << 20);
  const auto step = static_cast<std::int64_t>(block.size());
  for (std::int64_t at = 0; at < bytes_; at += step) {
    Status status =
        door::copy(static_cast<std::byte*>(data_) + at, block.data(), std::min(step, bytes_ - at),
                   door::Direction::kHostToDevice, nullptr);
    if (!status.ok()) return status;
  }
  return door::synchronize(nullptr);
}

}  // namespace prelaunch::bench
