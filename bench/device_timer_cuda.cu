#include <cuda_runtime.h>

#include "bench/device_timer.h"

namespace prelaunch::bench {

std::optional<GpuInfo> gpu_info() {
  if (door::device_count().cuda == 0) return std::nullopt;
  cudaDeviceProp properties{};
  int driver = 0;
  if (cudaGetDeviceProperties(&properties, door::current_device()) != cudaSuccess ||
      cudaDriverGetVersion(&driver) != cudaSuccess) {
    return std::nullopt;
  }
  const std::string version =
      "CUDA " + std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10);
  return GpuInfo{properties.name, version, properties.l2CacheSize};
}

struct DeviceTimer::Events {
  cudaEvent_t start = nullptr, stop = nullptr;
  bool ok = true;
  void expect(cudaError_t error) { ok = ok && error == cudaSuccess; }
};

DeviceTimer::DeviceTimer() : events_(std::make_unique<Events>()) {
  events_->expect(cudaEventCreate(&events_->start));
  events_->expect(cudaEventCreate(&events_->stop));
}

DeviceTimer::~DeviceTimer() {
  if (events_->start != nullptr) static_cast<void>(cudaEventDestroy(events_->start));
  if (events_->stop != nullptr) static_cast<void>(cudaEventDestroy(events_->stop));
}

void DeviceTimer::start(Stream stream) {
  events_->expect(cudaEventRecord(events_->start, static_cast<cudaStream_t>(stream)));
}

std::optional<double> DeviceTimer::stop(Stream stream) {
  float milliseconds = 0;
  events_->expect(cudaEventRecord(events_->stop, static_cast<cudaStream_t>(stream)));
  events_->expect(cudaEventSynchronize(events_->stop));
  events_->expect(cudaEventElapsedTime(&milliseconds, events_->start, events_->stop));
  if (!events_->ok) return std::nullopt;
  return static_cast<double>(milliseconds) / 1e3;
}

}  // namespace prelaunch::bench
