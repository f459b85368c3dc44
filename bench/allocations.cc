#include "bench/allocations.h"

#include <cerrno>
#include <cstddef>

// glibc's own entry points; an executable may define the public names over them.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace prelaunch::bench {
namespace {

// A thread's own: the CUDA driver's threads allocate whenever they like.
thread_local constinit std::uint64_t count = 0;

void add_one() { ++count; }

}  // namespace

std::uint64_t allocations() { return count; }

extern "C" {
void* malloc(std::size_t size) {
  add_one();
  return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) {
  add_one();
  return __libc_calloc(number, size);
}
void* realloc(void* data, std::size_t size) {
  add_one();
  return __libc_realloc(data, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  add_one();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** data, std::size_t alignment, std::size_t size) {
  add_one();
  *data = __libc_memalign(alignment, size);
  return *data != nullptr ? 0 : ENOMEM;
}
}

}  // namespace prelaunch::bench
