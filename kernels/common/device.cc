#include "kernels/common/device.h"

#include <array>
#include <charconv>

namespace prelaunch {
namespace {

struct Name {
  DeviceType type;
  std::string_view text;
};

constexpr auto kNames = std::to_array<Name>({{DeviceType::kCpu, "cpu"},
                                             {DeviceType::kCuda, "cuda"},
                                             {DeviceType::kCudaHost, "cuda_host"},
                                             {DeviceType::kRocm, "rocm"},
                                             {DeviceType::kCudaManaged, "cuda_managed"}});

}  // namespace

std::string to_string(Device device) {
  if (device == kCpuDevice) return "cpu";
  for (const Name& name : kNames) {
    if (name.type == device.type)
      return std::string(name.text) + ":" + std::to_string(device.index);
  }
  return "device(type=" + std::to_string(static_cast<std::int32_t>(device.type)) +
         ", index=" + std::to_string(device.index) + ")";
}

bool device_from_string(std::string_view text, Device& device) {
  const auto colon = text.find(':');
  for (const Name& name : kNames) {
    if (name.text != text.substr(0, colon)) continue;
    Device parsed{name.type, 0};
    if (colon != text.npos) {
      const char* end = text.data() + text.size();
      const auto result = std::from_chars(text.data() + colon + 1, end, parsed.index);
      if (result.ec != std::errc() || result.ptr != end) return false;
    } else if (name.type != DeviceType::kCpu) {
      return false;
    }
    device = parsed;
    return true;
  }
  return false;
}

}  // namespace prelaunch
