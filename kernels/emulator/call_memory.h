// Memory for a call in a test: one allocation of its device for each buffer, and a host copy of
// what they held before the call.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kernels/common/contents.h"
#include "kernels/emulator/memory.h"

namespace prelaunch::emulator {

template <class Op>
class CallMemory {
 public:
  // The contents are what the call asks for, over random bytes, both seeded by its `fill`.
  explicit CallMemory(const Call& call) : device_(measure_buffers(call, kTensors)) {
    Choices random(std::uint64_t{call.fill});
    for (std::size_t i = 0; i < kMaxBuffers; ++i) {
      copies_[i].resize(static_cast<std::size_t>(device_.size[i]));
      for (std::uint8_t& byte : copies_[i]) byte = static_cast<std::uint8_t>(random.below(256));
    }
    fill_contents<Op>(call, bind<Op>(call, before(), {kDevices}), call.fill);
    for (std::size_t i = 0; i < kMaxBuffers; ++i) copy_to_device(call, i);
  }
  ~CallMemory() {
    for (void* data : allocations_) {
      if (data != nullptr) release(data);
    }
  }
  CallMemory(const CallMemory&) = delete;
  CallMemory& operator=(const CallMemory&) = delete;

  const Placement& on_device() const { return device_; }
  Placement before() {
    Placement placement = device_;
    for (std::size_t i = 0; i < kMaxBuffers; ++i) {
      placement.base[i] = reinterpret_cast<std::uintptr_t>(copies_[i].data());
    }
    return placement;
  }

 private:
  static constexpr std::uint32_t kTensors = tensor_fields<Op>();

  void copy_to_device(const Call& call, std::size_t buffer) {
    const std::size_t size = copies_[buffer].size();
    if (size == 0) return;
    void* data = allocate(owner(call, buffer), size);
    allocations_[buffer] = data;
    device_.base[buffer] = reinterpret_cast<std::uintptr_t>(data);
    const HostAccess access(data, size);
    std::copy(copies_[buffer].begin(), copies_[buffer].end(), static_cast<std::uint8_t*>(data));
  }

  static Device owner(const Call& call, std::size_t buffer) {
    for (std::size_t i = 0; i < kMaxFields; ++i) {
      const TensorSpec& t = call.values[i].tensor;
      if ((kTensors >> i & 1) != 0 && t.buffer == buffer) return t.device;
    }
    return cuda(0);
  }

  Placement device_;
  // Vectors of the default allocator are aligned for any element type up to 16 bytes.
  std::array<std::vector<std::uint8_t>, kMaxBuffers> copies_;
  std::array<void*, kMaxBuffers> allocations_{};
};

}  // namespace prelaunch::emulator
