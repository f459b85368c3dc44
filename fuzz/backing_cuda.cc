// Every device has a reservation of its own address space, laid out as the arena's is. The first
// granule of each slot is mapped at all times; what lies beyond is mapped for the call that needs
// it, so that a kernel which strays from a sparse buffer meets nothing and faults.
#include <cuda.h>
#include <cuda_runtime.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "fuzz/backing.h"
#include "kernels/common/door.h"

namespace prelaunch::fuzz::backing {
namespace {

// What a device maps is a multiple of this (2 MiB on every GPU so far; asked for below).
constexpr std::size_t kGranule = std::size_t{2} << 20;
// Granules beyond the first of each slot that one call may have: 1 GiB.
constexpr std::size_t kMostGranules = 512;
constexpr std::int32_t kMostDevices = 16;

// The driver's functions, through the runtime: a program that is linked with the driver does not
// start where there is none.
template <class Function>
Function driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result{};
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, &function, CUDA_VERSION, cudaEnableDefault, &result);
  if (error == cudaSuccess && result == cudaDriverEntryPointSuccess && function != nullptr) {
    return reinterpret_cast<Function>(function);
  }
  std::fprintf(stderr, "prelaunch: the CUDA driver has no %s: a newer one is needed\n", name);
  std::exit(3);
}

struct Driver {
  decltype(&cuMemAddressReserve) reserve =
      driver_function<decltype(&cuMemAddressReserve)>("cuMemAddressReserve");
  decltype(&cuMemCreate) create = driver_function<decltype(&cuMemCreate)>("cuMemCreate");
  decltype(&cuMemMap) map = driver_function<decltype(&cuMemMap)>("cuMemMap");
  decltype(&cuMemUnmap) unmap = driver_function<decltype(&cuMemUnmap)>("cuMemUnmap");
  decltype(&cuMemSetAccess) set_access =
      driver_function<decltype(&cuMemSetAccess)>("cuMemSetAccess");
};

const Driver& driver() {
  static const Driver functions;
  return functions;
}

[[noreturn]] void cannot(const char* what, CUresult result) {
  std::fprintf(stderr, "prelaunch: the device cannot %s (CUDA error %d)\n", what, result);
  std::exit(3);
}

CUmemAllocationProp memory_of(std::int32_t device) {
  CUmemAllocationProp of{};
  of.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  of.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  of.location.id = device;
  return of;
}

// A device's reservation, and its memory.
class Reservation {
 public:
  Reservation(const Layout& layout, std::int32_t device) : device_(device) {
    const door::DeviceGuard guard(device);
    static_cast<void>(door::synchronize(nullptr));  // the first call makes the context
    const CUresult result =
        driver().reserve(&start_, layout.slots * layout.slot_bytes, kGranule, 0, 0);
    if (result != CUDA_SUCCESS) cannot("reserve a TiB of addresses", result);
    for (std::size_t slot = 0; slot < layout.slots; ++slot) {
      if (!map_granule(slot * layout.slot_bytes)) cannot("map memory", CUDA_ERROR_OUT_OF_MEMORY);
    }
    mapped_.clear();  // and never unmapped
    granules_.clear();
    used_ = 0;
  }

  std::uintptr_t start() const { return start_; }

  bool map(const Layout& layout, std::uintptr_t begin, std::uintptr_t end) {
    for (std::uintptr_t at = begin / kGranule * kGranule; at < end; at += kGranule) {
      if (at % layout.slot_bytes == 0) continue;               // the slot's first
      if (!mapped_.empty() && mapped_.back() >= at) continue;  // shared with the span before
      if (mapped_.size() == kMostGranules || !map_granule(at)) return false;
    }
    return true;
  }

  void unmap_all() {
    for (const std::uintptr_t at : mapped_) driver().unmap(start_ + at, kGranule);
    mapped_.clear();
    used_ = 0;
  }

 private:
  // Memory is kept for the next call: creating it takes far longer than mapping it.
  bool map_granule(std::uintptr_t at) {
    if (used_ == granules_.size()) {
      const CUmemAllocationProp of = memory_of(device_);
      if (driver().create(&granules_.emplace_back(), kGranule, &of, 0) != CUDA_SUCCESS) {
        granules_.pop_back();
        return false;
      }
    }
    if (driver().map(start_ + at, kGranule, 0, granules_[used_], 0) != CUDA_SUCCESS) return false;
    ++used_;
    mapped_.push_back(at);
    const CUmemAccessDesc access{memory_of(device_).location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    return driver().set_access(start_ + at, kGranule, &access, 1) == CUDA_SUCCESS;
  }

  std::int32_t device_;
  CUdeviceptr start_ = 0;
  std::vector<CUmemGenericAllocationHandle> granules_;
  std::size_t used_ = 0;
  std::vector<std::uintptr_t> mapped_;
};

std::array<std::unique_ptr<Reservation>, kMostDevices> g_reservations;
bool g_is_used = false;  // to ask the runtime anything makes a context, which takes a second

Reservation& reservation(const Layout& layout, Device device) {
  auto& of_device = g_reservations[static_cast<std::size_t>(device.index)];
  g_is_used = true;
  if (!of_device) of_device = std::make_unique<Reservation>(layout, device.index);
  return *of_device;
}

void* device_pointer(const Layout& layout, std::uintptr_t address, Device device) {
  return reinterpret_cast<void*>(on_device(layout, address, device));
}

}  // namespace

bool has(Device device) {
  return is_cuda(device) && exists(device, door::device_count()) && device.index < kMostDevices;
}

std::uintptr_t on_device(const Layout& layout, std::uintptr_t address, Device device) {
  return address - layout.start + reservation(layout, device).start();
}

void own(std::uintptr_t, std::int64_t, Device) {}
void disown(std::uintptr_t) {}

bool map(const Layout& layout, std::uintptr_t begin, std::uintptr_t end, Device device) {
  return reservation(layout, device).map(layout, begin - layout.start, end - layout.start);
}

void unmap_all() {
  for (const auto& of_device : g_reservations) {
    if (of_device) of_device->unmap_all();
  }
}

Status upload(const Layout& layout, std::uintptr_t begin, std::uintptr_t end, Device device) {
  const door::DeviceGuard guard(device.index);
  return door::copy(device_pointer(layout, begin, device), reinterpret_cast<void*>(begin),
                    static_cast<std::int64_t>(end - begin), door::Direction::kHostToDevice,
                    nullptr);
}

Status download(const Layout& layout, std::uintptr_t begin, std::uintptr_t end, Device device) {
  const door::DeviceGuard guard(device.index);
  Status status =
      door::copy(reinterpret_cast<void*>(begin), device_pointer(layout, begin, device),
                 static_cast<std::int64_t>(end - begin), door::Direction::kDeviceToHost, nullptr);
  return status.ok() ? door::synchronize(nullptr) : status;
}

// The runtime gives a sticky error again and again, to whatever is asked.
bool is_lost() {
  if (!g_is_used) return false;
  const bool lost = cudaStreamSynchronize(nullptr) != cudaSuccess;
  static_cast<void>(cudaGetLastError());
  return lost;
}

void set_order(std::uint32_t) {}  // the device's own

}  // namespace prelaunch::fuzz::backing
