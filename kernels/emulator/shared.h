// A block's shared memory. Each object lies between poisoned redzones, holds garbage when a block
// first uses it, and is poisoned again when the block ends: nothing of another block is ever seen.
//
// Addresses are no luck either. Under even seeds an object of alignment 8 or less starts 8 bytes
// after a multiple of 16, so that its start is exact to the byte for ASan; under odd seeds it is
// aligned to what its type asks for and no more, so that UBSan sees every vector access that relied
// on better. Run a kernel under both seeds of a pair (order.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace prelaunch {
namespace emulator {

// Per block, as on sm_90: what ptxas lets static objects take, and what all of it together may.
inline constexpr std::size_t kStaticSharedLimit = 48 * 1024;
inline constexpr std::size_t kSharedLimit = 227 * 1024;

// One object of static shared memory; lives as long as the process. One per type, made by shared().
class SharedObject {
 public:
  // `alignment`: a power of two up to 128.
  SharedObject(std::size_t bytes, std::size_t alignment);
  // For the threads of a running block.
  void* data() {
    if (epoch_ != current_epoch_) open();
    return reinterpret_cast<void*>(address_);
  }

 private:
  friend class SharedMemory;
  void open();

  static std::uint64_t current_epoch_;

  std::size_t bytes_, alignment_;
  std::uintptr_t storage_ = 0, address_ = 0;
  std::uint64_t epoch_ = 0;
  SharedObject* next_open_ = nullptr;
};

void* dynamic_shared_data();

// The scheduler's side: all shared memory of the block that runs.
class SharedMemory {
 public:
  static void begin_block(std::uint64_t seed, std::uint64_t block, std::size_t dynamic_bytes);
  static void end_block();
};

}  // namespace emulator

// One object of type T in the block's static shared memory; one per type, so give each its own
// struct.
template <class T>
T& shared() {
  static_assert(std::is_trivially_default_constructible_v<T>, "shared memory runs no constructor");
  static_assert(sizeof(T) <= emulator::kStaticSharedLimit, "more than a block's static memory");
  static emulator::SharedObject object(sizeof(T), alignof(T));
  return *static_cast<T*>(object.data());
}

// The block's dynamic shared memory, Grid::shared_bytes long, aligned to 16 bytes.
template <class T>
T* dynamic_shared() {
  static_assert(alignof(T) <= 16, "dynamic shared memory is aligned to 16 bytes");
  return static_cast<T*>(emulator::dynamic_shared_data());
}

}  // namespace prelaunch
