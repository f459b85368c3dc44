// Memory for a call in a test: one allocation of its device for each buffer, and a host copy of
// what they held before the call.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/common/call.h"
#include "kernels/common/choices.h"
#include "kernels/emulator/memory.h"

namespace prelaunch::emulator {

class CallMemory {
 public:
  // `tensors` is tensor_fields<Op>(). The contents are random bytes seeded by the call's `fill`.
  CallMemory(const Call& call, std::uint32_t tensors) : device_(measure_buffers(call, tensors)) {
    Choices random(std::uint64_t{call.fill});
    for (std::size_t i = 0; i < kMaxBuffers; ++i) {
      const auto size = static_cast<std::size_t>(device_.size[i]);
      if (size == 0) continue;
      for (std::size_t b = 0; b < size; ++b) {
        copies_[i].push_back(static_cast<std::uint8_t>(random.below(256)));
      }
      void* data = allocate(owner(call, tensors, i), size);
      allocations_[i] = data;
      device_.base[i] = reinterpret_cast<std::uintptr_t>(data);
      const HostAccess access(data, size);
      std::copy(copies_[i].begin(), copies_[i].end(), static_cast<std::uint8_t*>(data));
    }
  }
  ~CallMemory() {
    for (void* data : allocations_) {
      if (data != nullptr) release(data);
    }
  }
  CallMemory(const CallMemory&) = delete;
  CallMemory& operator=(const CallMemory&) = delete;

  const Placement& on_device() const { return device_; }
  Placement before() const {
    Placement placement = device_;
    for (std::size_t i = 0; i < kMaxBuffers; ++i) {
      placement.base[i] = reinterpret_cast<std::uintptr_t>(copies_[i].data());
    }
    return placement;
  }

 private:
  static Device owner(const Call& call, std::uint32_t tensors, std::size_t buffer) {
    for (std::size_t i = 0; i < kMaxFields; ++i) {
      const TensorSpec& t = call.values[i].tensor;
      if ((tensors >> i & 1) != 0 && t.buffer == buffer) return t.device;
    }
    return cuda(0);
  }

  Placement device_;
  // Vectors of the default allocator are aligned for any element type up to 16 bytes.
  std::array<std::vector<std::uint8_t>, kMaxBuffers> copies_;
  std::array<void*, kMaxBuffers> allocations_{};
};

}  // namespace prelaunch::emulator
