// How a kernel records a fault: the device's half of fault.h. For kernel.cu only.
#pragma once

#include <cstdint>

#include "kernels/common/fault.h"
#include "kernels/common/launch.h"

namespace prelaunch {

// Keeps the smallest of what is recorded, so that the word ends the same whatever the order of
// rows. `word` is the op's optional fault argument: null when the call did not give one.
__device__ __forceinline__ void record_fault(unsigned long long* word, std::uint64_t row,
                                             FaultCode code) {
  if (word != nullptr) atomicMin(word, fault_word(row, code));
}

}  // namespace prelaunch
