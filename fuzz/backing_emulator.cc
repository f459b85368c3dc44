#include "fuzz/backing.h"
#include "fuzz/judgement.h"
#include "kernels/emulator/grid.h"
#include "kernels/emulator/memory.h"

namespace prelaunch::fuzz::backing {

static_assert(kJudgedDevices.cuda == emulator::kDevices);

bool has(Device device) { return exists(device, {emulator::kDevices}); }

std::uintptr_t on_device(const Layout&, std::uintptr_t address, Device) { return address; }

void own(std::uintptr_t base, std::int64_t bytes, Device device) {
  const auto granules = (static_cast<std::size_t>(bytes) + 7) / 8;
  emulator::adopt_untouchable(reinterpret_cast<void*>(base), granules * 8, device);
}
void disown(std::uintptr_t base) { emulator::disown(reinterpret_cast<void*>(base)); }

bool map(const Layout&, std::uintptr_t, std::uintptr_t, Device) { return true; }
void unmap_all() {}

Status upload(const Layout&, std::uintptr_t, std::uintptr_t, Device) { return {}; }
Status download(const Layout&, std::uintptr_t, std::uintptr_t, Device) { return {}; }

bool is_lost() { return false; }  // a fault ends the process

void set_order(std::uint32_t order) { emulator::set_order(order); }

}  // namespace prelaunch::fuzz::backing
