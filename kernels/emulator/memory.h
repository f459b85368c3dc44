// Device memory of the emulated devices: host memory with a device tag, poisoned for ASan at all
// times. Who touches it crashes, unless the bytes belong
//   - to a Regions of a kernel, while the kernel runs, or
//   - to a live HostAccess, while no kernel runs.
//
// How exact poisoning is: ASan knows, for every 8 bytes, how many of the first are addressable. So
// the end of a run of bytes is exact to the byte, and up to 7 bytes before a start that is not a
// multiple of 8 stay addressable. Of two runs that share 8 bytes, what lies between them is
// addressable. A view of more than kMaxRuns runs is opened from its first to its last byte, with
// its gaps.
//
// Without ASan all of this only keeps the tags. One host thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/common/device.h"
#include "kernels/common/tensor_view.h"

namespace prelaunch::emulator {

inline constexpr std::int32_t kDevices = 4;

// `bytes` bytes of memory of `device`, aligned to 256 bytes, between redzones of at least 64,
// filled with garbage and poisoned. The caller owns it. Throws std::bad_alloc.
void* allocate(Device device, std::size_t bytes);
// Gives back what allocate() gave; false when `data` is nothing of the kind.
bool release(void* data);

// Makes a range that somebody else owns memory of `device`, and poisons it, until disown() makes it
// ordinary memory again. `base` and `bytes` are multiples of 8, the range meets no other one and is
// at least 8 bytes long; anything else is an emulator fault.
void adopt(void* base, std::size_t bytes, Device device);
// The same for a range that its owner keeps poisoned or unmapped at all times, and that stays so
// when it is disowned: poisoning would cost by the byte, and such a range may be gigabytes of
// nothing.
void adopt_untouchable(void* base, std::size_t bytes, Device device);
void disown(void* base);

// The device whose memory [data, data + bytes) lies in, whole; nothing for any other memory.
std::optional<Device> device_of(const void* data, std::size_t bytes);

// Makes device memory addressable for the host for a scope, as cudaMemcpy would. Memory that no
// device holds is left alone. Scopes may overlap in time and in space. While a kernel runs, they
// are suspended.
class HostAccess {
 public:
  // The elements of a view without a flaw.
  explicit HostAccess(const TensorView& view);
  HostAccess(const void* data, std::size_t bytes);
  ~HostAccess();
  HostAccess(const HostAccess&) = delete;
  HostAccess& operator=(const HostAccess&) = delete;

  static void suspend_all();
  static void resume_all();

 private:
  void link();

  TensorView view_;
  HostAccess* previous_ = nullptr;
  HostAccess* next_ = nullptr;
};

// What one launch may touch. There is one at a time: it lives in storage that is kept.
class Regions {
 public:
  Regions();
  Regions(const Regions&) = delete;
  Regions& operator=(const Regions&) = delete;

  // Adds the elements of `view`, if it is given, has elements and is on the launch's device. A flaw
  // or memory of another device adds nothing: touching it crashes.
  void add(const TensorView& view, Device launch_device);
  // Adds scratch: bytes that come from allocate() and belong to no argument.
  void add(const void* data, std::size_t bytes, Device launch_device);

  // Opens the regions for a scope, inside which nothing else is addressable. An emulator fault when
  // the launch's device is not current, or a view lies in memory that no device holds.
  class Open {
   public:
    explicit Open(const Regions& regions);
    ~Open();
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
  };

 private:
  std::optional<Device> device_;
  // One of the views lies in ordinary host memory: a GPU would fault on it, ASan would not.
  const char* fault_ = nullptr;
};

}  // namespace prelaunch::emulator
