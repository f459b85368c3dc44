// Launches on the emulated devices. kernel.cu launches through kernels/common/launch.h, which calls
// run(); tests and the fuzzers' oracle also choose the order and force failures.
//
// One launch at a time, on one host thread at a time.
//
// An emulator fault ends the process (abort) after one line on stderr:
//   emulator fault: <op>: <what> block (x,y,z) thread (x,y,z)
// It is raised for what no GPU defines and no sanitizer sees: see warp.h for warp collectives; a
// barrier that some live thread never reaches; more shared memory than a block has; a launch on a
// device that is not current, or with a tensor that no emulated device holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/common/status.h"
#include "kernels/emulator/cuda.h"
#include "kernels/emulator/function_ref.h"
#include "kernels/emulator/memory.h"

namespace prelaunch::emulator {

struct LaunchShape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
};

// Runs `body` once for each thread of the grid, with threadIdx and its kin set, blocks one after
// another. While it runs, of all emulated device memory only `regions` are addressable. Fails,
// without running anything, with the CUDA runtime's error when the shape is beyond the limits of
// CUDA, and when a failure was asked for.
Status run(std::string_view op, const LaunchShape& shape, const Regions& regions,
           FunctionRef<void()> body);

// The order of blocks, and of threads within a block, of the launches to come; see order.h. 0, the
// natural order, until set.
void set_order(std::uint64_t seed);

// The next launch fails with cudaErrorLaunchOutOfResources.
void fail_next_launch();

// Calls of run() since the process began.
std::uint64_t launches();

}  // namespace prelaunch::emulator
