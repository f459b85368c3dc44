// The door: the only place in the product that launches, allocates, copies or sets a device. Two
// backends stand behind it, one per build tree: the CUDA runtime (door_cuda.cu) and the emulator
// (kernels/emulator/door_emulator.cc). Host code includes this; kernel.cu also includes launch.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/common/device.h"
#include "kernels/common/status.h"

namespace prelaunch {

// A cudaStream_t, owned by the caller; null is the default stream of the launch's device.
using Stream = void*;

namespace door {

// "cuda" or "emulator".
std::string_view backend();

// Counted once per process, before the first check. 0 where there is no driver or no GPU.
DeviceCount device_count();

// The calling thread's current CUDA device.
std::int32_t current_device();
void set_current_device(std::int32_t device);

// Makes `device` current for a scope and gives the caller's back.
class DeviceGuard {
 public:
  explicit DeviceGuard(std::int32_t device) : previous_(current_device()), device_(device) {
    if (device_ != previous_) set_current_device(device_);
  }
  ~DeviceGuard() {
    if (device_ != previous_) set_current_device(previous_);
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  std::int32_t previous_, device_;
};

// Memory of the current device, ordered on `stream` (cudaMallocAsync); freed with `release`. `op`
// names the op in the error.
[[nodiscard]] Status allocate(std::string_view op, std::int64_t bytes, Stream stream, void** data);
[[nodiscard]] Status release(void* data, Stream stream);

enum class Direction : std::uint8_t { kHostToDevice, kDeviceToHost };
[[nodiscard]] Status copy(void* to, const void* from, std::int64_t bytes, Direction direction,
                          Stream stream);
[[nodiscard]] Status fill(void* data, std::uint8_t value, std::int64_t bytes, Stream stream);
[[nodiscard]] Status synchronize(Stream stream);

// The door's own witness of 'before any launch': what went through it since the process began. A
// release counts as an allocation, a fill as a copy.
struct Counts {
  std::uint64_t launches = 0, allocations = 0, copies = 0, device_sets = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
  Counts operator-(const Counts& before) const {
    return {launches - before.launches, allocations - before.allocations, copies - before.copies,
            device_sets - before.device_sets};
  }
};
Counts counts();

}  // namespace door
}  // namespace prelaunch
