#include "fuzz/cuda/runtime_calls.h"

#include <cuda_runtime_api.h>

#include <atomic>

namespace prelaunch::fuzz {
namespace {

std::array<std::atomic<std::uint64_t>, kWorks> g_seen;

}  // namespace

Seen runtime_calls() {
  Seen out{};
  for (std::size_t i = 0; i < kWorks; ++i) out[i] = g_seen[i].load(std::memory_order_relaxed);
  return out;
}

static void count(Work work) {
  g_seen[static_cast<std::size_t>(work)].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace prelaunch::fuzz

// The linker's names: __wrap_x stands for x in every object, __real_x is x itself.
#define COUNTED_AS(work, symbol, parameters, arguments)  \
  extern "C" cudaError_t __real_##symbol parameters;     \
  extern "C" cudaError_t __wrap_##symbol parameters;     \
  extern "C" cudaError_t __wrap_##symbol parameters {    \
    prelaunch::fuzz::count(prelaunch::fuzz::Work::work); \
    return __real_##symbol arguments;                    \
  }
#define COUNTED(work, name, parameters, arguments) COUNTED_AS(work, name, parameters, arguments)
#define COUNTED_PTSZ(work, name, parameters, arguments) \
  COUNTED_AS(work, name##_ptsz, parameters, arguments)
#define HARMLESS(name, reason)
#include "kernels/common/runtime_calls.def"
