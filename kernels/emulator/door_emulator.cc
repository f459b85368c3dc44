#include "kernels/emulator/door_emulator.h"

#include <cstring>

#include "kernels/common/door.h"
#include "kernels/emulator/block.h"
#include "kernels/emulator/grid.h"
#include "kernels/emulator/memory.h"

namespace prelaunch {
namespace {

constexpr std::string_view kInvalidValue = "cudaErrorInvalidValue (invalid argument)";

thread_local std::int32_t t_current_device = 0;
std::int64_t g_allocation_limit = emulator::kDefaultAllocationLimit;
// Without the launches, which the emulator counts where they happen.
door::Counts g_counts;

bool on_device(const void* data, std::int64_t bytes) {
  return bytes >= 0 && emulator::device_of(data, static_cast<std::size_t>(bytes)).has_value();
}

}  // namespace

namespace emulator {
void set_allocation_limit(std::int64_t bytes) { g_allocation_limit = bytes; }
}  // namespace emulator

namespace door {

std::string_view backend() { return "emulator"; }

DeviceCount device_count() { return {emulator::kDevices}; }

std::int32_t current_device() { return t_current_device; }

void set_current_device(std::int32_t device) {
  ++g_counts.device_sets;
  if (device < 0 || device >= emulator::kDevices) {
    emulator::fault("a device that does not exist was made current");
  }
  t_current_device = device;
}

Status allocate(std::string_view op, std::int64_t bytes, Stream, void** data) {
  ++g_counts.allocations;
  *data = nullptr;
  if (bytes < 0) return Status::failure(op, "allocate", kInvalidValue);
  if (bytes > g_allocation_limit) {
    return Status::failure(op, "allocate", "cudaErrorMemoryAllocation (out of memory)");
  }
  if (bytes > 0)
    *data = emulator::allocate(cuda(t_current_device), static_cast<std::size_t>(bytes));
  return Status();
}

Status release(void* data, Stream) {
  ++g_counts.allocations;
  if (data == nullptr || emulator::release(data)) return Status();
  return Status::failure("door", "release", kInvalidValue);
}

Status copy(void* to, const void* from, std::int64_t bytes, Direction direction, Stream) {
  ++g_counts.copies;
  if (bytes == 0) return Status();
  const void* device_side = direction == Direction::kHostToDevice ? to : from;
  if (!on_device(device_side, bytes)) return Status::failure("door", "copy", kInvalidValue);
  const auto size = static_cast<std::size_t>(bytes);
  const emulator::HostAccess access(device_side, size);
  std::memcpy(to, from, size);
  return Status();
}

Status fill(void* data, std::uint8_t value, std::int64_t bytes, Stream) {
  ++g_counts.copies;
  if (bytes == 0) return Status();
  if (!on_device(data, bytes)) return Status::failure("door", "fill", kInvalidValue);
  const auto size = static_cast<std::size_t>(bytes);
  const emulator::HostAccess access(data, size);
  std::memset(data, value, size);
  return Status();
}

Status synchronize(Stream) { return Status(); }

Counts counts() {
  Counts counts = g_counts;
  counts.launches = emulator::launches();
  return counts;
}

}  // namespace door
}  // namespace prelaunch
