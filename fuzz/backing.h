// What the arena's buffers are on the tree's backend: memory that a kernel can be given. In the
// emulator that is the arena's own memory (backing_emulator.cc); on a GPU every device has a
// reservation of its own, laid out as the arena's is, and buffers are copied to and fro
// (backing_cuda.cc).
#pragma once

#include <cstdint>

#include "kernels/common/device.h"
#include "kernels/common/status.h"

namespace prelaunch::fuzz::backing {

// Whether kernels work on the arena's own memory.
#if defined(PRELAUNCH_EMULATED)
inline constexpr bool kInPlace = true;
#define PRELAUNCH_ASAN_BESIDE_CUDA ""
#else
inline constexpr bool kInPlace = false;
// For ASAN_OPTIONS: the driver maps memory where ASan keeps some free.
#define PRELAUNCH_ASAN_BESIDE_CUDA ":protect_shadow_gap=0"
#endif

// Where a slot begins in the arena's reservation, and which is left mapped at all times.
struct Layout {
  std::uintptr_t start, slot_bytes;
  std::size_t slots;
};

// Whether there is such a device, and it can be given memory.
bool has(Device device);

// The address that a kernel on `device` knows the arena's `address` by.
std::uintptr_t on_device(const Layout& layout, std::uintptr_t address, Device device);

// Makes the `bytes` bytes from `base` on, all of a buffer, memory of `device`, until disown().
void own(std::uintptr_t base, std::int64_t bytes, Device device);
void disown(std::uintptr_t base);

// Gives the device pages for [begin, end), beyond those that every slot begins with. False when it
// has none to give: then nothing has changed since the last unmap_all().
bool map(const Layout& layout, std::uintptr_t begin, std::uintptr_t end, Device device);
// Takes back what map() gave.
void unmap_all();

// Copies [begin, end) from the arena to the device, and back. What is read back has waited for the
// kernels on the device, and its failure may be theirs.
[[nodiscard]] Status upload(const Layout& layout, std::uintptr_t begin, std::uintptr_t end,
                            Device device);
[[nodiscard]] Status download(const Layout& layout, std::uintptr_t begin, std::uintptr_t end,
                              Device device);

// Whether a kernel has faulted: its device's context is lost, and with it all that this process
// could still do on a GPU. Another process can.
bool is_lost();

// Before a launch: the order in which the backend, where it can choose, runs threads.
void set_order(std::uint32_t order);

}  // namespace prelaunch::fuzz::backing
