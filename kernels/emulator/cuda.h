// The part of CUDA that kernels may use, for a host compiler: what stands in for the CUDA headers
// when kernel.cu is compiled for the emulator. Names and meanings are CUDA's; what is not here does
// not compile, so a kernel cannot rely on what the emulator would not check.
//
// `__shared__` is deliberately not here: shared memory comes from shared<T>() and
// dynamic_shared<T>(), which both backends have (kernels/common/launch.h).
#pragma once

#include "kernels/emulator/half.h"
#include "kernels/emulator/intrinsics.h"
#include "kernels/emulator/shared.h"
#include "kernels/emulator/vector_types.h"
#include "kernels/emulator/warp.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)

// Of the thread that runs; set by the scheduler at every switch.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
inline constexpr int warpSize = 32;

// Waits until every thread of the block that has not exited waits too.
void __syncthreads();
