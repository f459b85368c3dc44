// The witness at the runtime's door: the linker leads every call of the CUDA runtime that could
// reach the device past a counter, whichever of our objects makes it
// (kernels/common/runtime_calls.def). It needs no GPU: a call that fails for want of one has been
// seen all the same.
#pragma once

#include "fuzz/watch.h"

namespace prelaunch::fuzz {

// Since the process began.
Seen runtime_calls();

}  // namespace prelaunch::fuzz
