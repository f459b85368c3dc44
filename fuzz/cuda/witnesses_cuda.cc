#include "fuzz/cuda/driver_calls.h"
#include "fuzz/cuda/runtime_calls.h"
#include "fuzz/watch_door.h"

namespace prelaunch::fuzz {
namespace {

constexpr Witness kAll[] = {
    kDoorWitness,
    {"the CUDA runtime", runtime_calls},
    // Of a device that is current already the driver is not told.
    {"the CUDA driver", driver_calls, kEveryWork & ~bit(Work::kDeviceSet)},
};

}  // namespace

std::span<const Witness> witnesses() {
  static const std::span<const Witness> here(kAll, hears_driver() ? 3 : 2);
  return here;
}

}  // namespace prelaunch::fuzz
