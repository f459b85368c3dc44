#include "kernels/emulator/shared.h"

#include <new>

#include "kernels/emulator/block.h"
#include "kernels/emulator/order.h"
#include "kernels/emulator/sanitizer.h"

namespace prelaunch::emulator {
namespace {

constexpr std::size_t kRedzone = 64;
constexpr std::size_t kStorageAlignment = 256;

// Poisoned whole, and kept for good.
std::uintptr_t reserve(std::size_t bytes) {
  const auto begin =
      reinterpret_cast<std::uintptr_t>(::operator new(bytes, std::align_val_t{kStorageAlignment}));
  poison(begin, begin + bytes);
  return begin;
}

// The dynamic memory starts 16 bytes after a multiple of 32.
constexpr std::size_t kDynamicOffset = kRedzone + 16;
std::uintptr_t dynamic_address() {
  static const std::uintptr_t storage = reserve(kDynamicOffset + kSharedLimit + kRedzone);
  return storage + kDynamicOffset;
}

struct State {
  std::uint64_t order = 0, garbage = 0;
  std::size_t dynamic_bytes = 0, static_bytes = 0;
  SharedObject* open = nullptr;
};
State g_state;

}  // namespace

std::uint64_t SharedObject::current_epoch_ = 0;

SharedObject::SharedObject(std::size_t bytes, std::size_t alignment)
    : bytes_(bytes),
      alignment_(alignment),
      // Room for the object at up to 2 * 128 bytes from the start of the storage.
      storage_(reserve(2 * kStorageAlignment + bytes + kRedzone)) {}

void SharedObject::open() {
  const std::size_t step = g_state.order % 2 == 0 && alignment_ < 8 ? 8 : alignment_;
  address_ = storage_ + kStorageAlignment + step;
  epoch_ = current_epoch_;
  next_open_ = g_state.open;
  g_state.open = this;
  g_state.static_bytes += bytes_;
  if (g_state.static_bytes > kStaticSharedLimit) fault("static shared memory beyond 48 KiB");
  if (g_state.static_bytes + g_state.dynamic_bytes > kSharedLimit) {
    fault("shared memory beyond 227 KiB");
  }
  unpoison(address_, address_ + bytes_);
  g_state.garbage = mix(g_state.garbage);
  fill_garbage(reinterpret_cast<void*>(address_), bytes_, g_state.garbage);
}

void* dynamic_shared_data() { return reinterpret_cast<void*>(dynamic_address()); }

void SharedMemory::begin_block(std::uint64_t seed, std::uint64_t block, std::size_t dynamic_bytes) {
  ++SharedObject::current_epoch_;
  g_state = {seed, mix(seed ^ mix(block)), dynamic_bytes, 0, nullptr};
  if (dynamic_bytes == 0) return;
  const std::uintptr_t begin = dynamic_address();
  unpoison(begin, begin + dynamic_bytes);
  fill_garbage(reinterpret_cast<void*>(begin), dynamic_bytes, g_state.garbage);
}

void SharedMemory::end_block() {
  for (SharedObject* object = g_state.open; object != nullptr; object = object->next_open_) {
    poison(object->address_, object->address_ + object->bytes_);
  }
  if (g_state.dynamic_bytes != 0) {
    poison(dynamic_address(), dynamic_address() + g_state.dynamic_bytes);
  }
}

}  // namespace prelaunch::emulator
