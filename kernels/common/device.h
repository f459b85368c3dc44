// Devices, as DLPack describes them: (type, index).
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace prelaunch {

// DLPack's device types that the product names; any other number may come in a descriptor.
enum class DeviceType : std::int32_t {
  kCpu = 1,
  kCuda = 2,
  kCudaHost = 3,
  kRocm = 10,
  kCudaManaged = 13,
};

struct Device {
  DeviceType type = DeviceType::kCpu;
  std::int32_t index = 0;
  // One comparison, where the default would be two.
  friend constexpr bool operator==(const Device& a, const Device& b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }
};

constexpr Device cuda(std::int32_t index) { return {DeviceType::kCuda, index}; }
inline constexpr Device kCpuDevice{DeviceType::kCpu, 0};

// Only memory of this kind is launched on: not pinned host memory, not managed memory.
constexpr bool is_cuda(Device device) { return device.type == DeviceType::kCuda; }

// How many devices of a type exist, where that is known. Read once by the door (door::device_count)
// before the first check and passed in as a value: a check makes no CUDA call.
struct DeviceCount {
  std::int32_t cuda = 0;
};

constexpr bool exists(Device device, DeviceCount count) {
  if (device.index < 0) return false;
  return !is_cuda(device) || device.index < count.cuda;
}

// "cuda:0", "cpu" (index 0), "cuda_host:0", "rocm:1"; "device(type=77, index=0)" for an unknown
// type.
std::string to_string(Device device);

// "cuda:1" or "cpu" back to a device; an index must fit int32. Returns false on anything else.
bool device_from_string(std::string_view text, Device& device);

}  // namespace prelaunch
