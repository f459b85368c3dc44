// AddressSanitizer's poisoning, where it is there.
#pragma once

#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#define PRELAUNCH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PRELAUNCH_ASAN 1
#endif
#endif

#if defined(PRELAUNCH_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace prelaunch::fuzz {

inline void poison([[maybe_unused]] std::uintptr_t begin, [[maybe_unused]] std::uintptr_t end) {
#if defined(PRELAUNCH_ASAN)
  __asan_poison_memory_region(reinterpret_cast<const void*>(begin), end - begin);
#endif
}

inline void unpoison([[maybe_unused]] std::uintptr_t begin, [[maybe_unused]] std::uintptr_t end) {
#if defined(PRELAUNCH_ASAN)
  __asan_unpoison_memory_region(reinterpret_cast<const void*>(begin), end - begin);
#endif
}

}  // namespace prelaunch::fuzz
