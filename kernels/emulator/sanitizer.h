// What the emulator asks of AddressSanitizer; nothing at all in a tree that is built without it.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#define PRELAUNCH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PRELAUNCH_ASAN 1
#endif
#endif
#if !defined(PRELAUNCH_ASAN)
#define PRELAUNCH_ASAN 0
#endif

#if PRELAUNCH_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// Around the scheduler's own code, which is not what is under test: watched, a switch of threads
// would take half as long again. Functions of the standard library stay watched, and calls: avoid
// them there.
#if defined(__clang__)
#define PRELAUNCH_UNWATCHED \
  clang attribute push(__attribute__((no_sanitize("address", "undefined"))), apply_to = function)
#define PRELAUNCH_PRAGMA(text) _Pragma(#text)
#define PRELAUNCH_EXPANDED_PRAGMA(text) PRELAUNCH_PRAGMA(text)
#define PRELAUNCH_UNWATCHED_BEGIN PRELAUNCH_EXPANDED_PRAGMA(PRELAUNCH_UNWATCHED)
#define PRELAUNCH_UNWATCHED_END _Pragma("clang attribute pop")
#else
#define PRELAUNCH_UNWATCHED_BEGIN
#define PRELAUNCH_UNWATCHED_END
#endif

namespace prelaunch::emulator {

// Whether poisoned memory crashes who touches it.
inline constexpr bool kPoisons = PRELAUNCH_ASAN != 0;
// ASan's unit of bookkeeping: of a granule it knows how many of the first bytes are addressable.
inline constexpr std::uintptr_t kGranule = 8;

// Poisons every granule that [begin, end) meets, whole. Only for memory of which the emulator owns
// those whole granules.
inline void poison([[maybe_unused]] std::uintptr_t begin, [[maybe_unused]] std::uintptr_t end) {
#if PRELAUNCH_ASAN
  begin -= begin % kGranule;
  __asan_poison_memory_region(reinterpret_cast<void*>(begin), end - begin + (-end) % kGranule);
#endif
}

// Makes [begin, end) addressable, and with it the up to 7 bytes before `begin` of its granule.
// Never takes addressability away, so ranges may overlap and share granules in any order.
inline void unpoison([[maybe_unused]] std::uintptr_t begin, [[maybe_unused]] std::uintptr_t end) {
#if PRELAUNCH_ASAN
  __asan_unpoison_memory_region(reinterpret_cast<void*>(begin), end - begin);
#endif
}

inline void print_stack_trace() {
#if PRELAUNCH_ASAN
  __sanitizer_print_stack_trace();
#endif
}

}  // namespace prelaunch::emulator
