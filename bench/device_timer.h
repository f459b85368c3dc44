// Time on the device, between two points of a stream. Real with the CUDA backend; the emulator has
// no clock worth reading, so its kernels are not timed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kernels/common/door.h"

namespace prelaunch::bench {

struct GpuInfo {
  std::string name, driver;
  std::int64_t l2_bytes = 0;
};
// Of the current device; nothing where there is none, or no CUDA backend.
std::optional<GpuInfo> gpu_info();

// Of the current device at its making. Errors show in `stop`.
class DeviceTimer {
 public:
  DeviceTimer();
  ~DeviceTimer();
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;

  void start(Stream stream);
  // Seconds since `start`, after waiting for the stream; nothing when the device reports an error.
  std::optional<double> stop(Stream stream);

 private:
  struct Events;
  std::unique_ptr<Events> events_;
};

}  // namespace prelaunch::bench
