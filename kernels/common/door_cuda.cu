// The door's CUDA backend.
#include <cuda_runtime.h>

#include <atomic>
#include <string>

#include "kernels/common/launch.h"

namespace prelaunch::door {
namespace {

std::atomic<std::uint64_t> launches, allocations, copies, device_sets;

Status status_of(cudaError_t error, std::string_view op, std::string_view doing) {
  if (error == cudaSuccess) return {};
  std::string text = cudaGetErrorName(error);
  text.append(" (").append(cudaGetErrorString(error)).append(")");
  return Status::failure(op, doing, text);
}

cudaStream_t native(Stream stream) { return static_cast<cudaStream_t>(stream); }

std::int32_t count_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  static_cast<void>(cudaGetLastError());  // no driver is not an error of the next launch
  return 0;
}

}  // namespace

std::string_view backend() { return "cuda"; }

DeviceCount device_count() {
  static const DeviceCount count{count_devices()};
  return count;
}

std::int32_t current_device() {
  int device = 0;
  static_cast<void>(cudaGetDevice(&device));
  return device;
}

void set_current_device(std::int32_t device) {
  ++device_sets;
  static_cast<void>(cudaSetDevice(device));  // a failure shows in the launch that follows
}

Status allocate(std::string_view op, std::int64_t bytes, Stream stream, void** data) {
  ++allocations;
  return status_of(cudaMallocAsync(data, static_cast<std::size_t>(bytes), native(stream)), op,
                   "allocate");
}

Status release(void* data, Stream stream) {
  ++allocations;
  return status_of(cudaFreeAsync(data, native(stream)), "door", "release");
}

Status copy(void* to, const void* from, std::int64_t bytes, Direction direction, Stream stream) {
  ++copies;
  const auto kind =
      direction == Direction::kHostToDevice ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  return status_of(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), kind, native(stream)),
                   "door", "copy");
}

Status fill(void* data, std::uint8_t value, std::int64_t bytes, Stream stream) {
  ++copies;
  return status_of(cudaMemsetAsync(data, value, static_cast<std::size_t>(bytes), native(stream)),
                   "door", "fill");
}

Status synchronize(Stream stream) {
  return status_of(cudaStreamSynchronize(native(stream)), "door", "synchronize");
}

Counts counts() { return {launches, allocations, copies, device_sets}; }

Status launch_kernel(std::string_view op, const Grid& grid, Stream stream, const void* kernel,
                     void** parameters) {
  ++launches;
  // More than this is given only to kernels that ask.
  constexpr std::size_t kGivenUnasked = 48 * 1024;
  if (grid.shared_bytes > kGivenUnasked) {
    const cudaError_t error = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(grid.shared_bytes));
    if (error != cudaSuccess) return status_of(error, op, "launch");
  }
  return status_of(cudaLaunchKernel(kernel, grid.blocks, grid.threads, parameters,
                                    grid.shared_bytes, native(stream)),
                   op, "launch");
}

}  // namespace prelaunch::door
