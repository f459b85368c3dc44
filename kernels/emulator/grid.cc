#include "kernels/emulator/grid.h"

#include <cstdio>
#include <utility>

#include "kernels/emulator/block.h"
#include "kernels/emulator/order.h"
#include "kernels/emulator/sanitizer.h"

namespace prelaunch::emulator {
namespace {

std::uint64_t g_order = 0;
std::uint64_t g_launches = 0;
bool g_fail_next = false;

bool within_limits(const LaunchShape& shape) {
  const auto& [grid, threads, shared_bytes] = shape;
  // Every factor is bounded before the product is taken.
  if (threads.x == 0 || threads.y == 0 || threads.z == 0) return false;
  if (threads.x > kMaxThreads || threads.y > kMaxThreads || threads.z > 64) return false;
  if (threads.x * threads.y * threads.z > kMaxThreads) return false;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return false;
  if (grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535) return false;
  return shared_bytes <= kSharedLimit;
}

uint3 block_index(std::uint64_t i, dim3 grid) {
  const std::uint64_t row = i / grid.x;
  return {static_cast<unsigned>(i % grid.x), static_cast<unsigned>(row % grid.y),
          static_cast<unsigned>(row / grid.y)};
}

void run_blocks(const LaunchShape& shape) {
  const std::uint64_t count = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
  const Permutation order(g_order, count);
  gridDim = shape.grid;
  blockDim = shape.block;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t index = order(i);
    blockIdx = block_index(index, shape.grid);
    SharedMemory::begin_block(g_order, index, shape.shared_bytes);
    block().run();
    SharedMemory::end_block();
  }
}

}  // namespace

Status run(std::string_view op, const LaunchShape& shape, const Regions& regions,
           FunctionRef<void()> body) {
  ++g_launches;
  if (std::exchange(g_fail_next, false)) {
    return Status::failure(
        op, "launch", "cudaErrorLaunchOutOfResources (too many resources requested for launch)");
  }
  if (!within_limits(shape)) {
    return Status::failure(op, "launch",
                           "cudaErrorInvalidConfiguration (invalid configuration argument)");
  }
  block().begin_launch(op, shape.block, g_order, body);
  const Regions::Open open(regions);
  run_blocks(shape);
  return Status();
}

void set_order(std::uint64_t seed) { g_order = seed; }
void fail_next_launch() { g_fail_next = true; }
std::uint64_t launches() { return g_launches; }

}  // namespace prelaunch::emulator

#if PRELAUNCH_ASAN
// Called by ASan before it reports and ends the process: the report knows the line, this the
// thread.
extern "C" void __asan_on_error() {
  const prelaunch::emulator::Block& block = prelaunch::emulator::block();
  if (block.current() == nullptr) return;
  std::fprintf(stderr, "emulating %.*s:", static_cast<int>(block.op().size()), block.op().data());
  prelaunch::emulator::print_place();
  std::fputc('\n', stderr);
}
#endif
