#include "kernels/emulator/block.h"

#include <cstdio>
#include <cstdlib>

#include "kernels/emulator/order.h"
#include "kernels/emulator/sanitizer.h"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

// libFuzzer's: the lowest address of the stack in this run, which it takes for how deep the run
// went. Weak: other programs have no such thing.
extern "C" __attribute__((weak)) __thread std::uintptr_t __sancov_lowest_stack = 0;

PRELAUNCH_UNWATCHED_BEGIN

namespace prelaunch::emulator {

Block& block() {
  // Never destroyed: fibers and their stacks stay.
  static Block& instance = *new Block;
  return instance;
}

void print_place() {
  const Thread* thread = block().current();
  if (thread == nullptr) return;
  const uint3 b = blockIdx, t = thread->index;
  std::fprintf(stderr, " block (%u,%u,%u) thread (%u,%u,%u)", b.x, b.y, b.z, t.x, t.y, t.z);
}

void fault(const char* what) {
  std::fprintf(stderr, "emulator fault: %.*s: %s", static_cast<int>(block().op().size()),
               block().op().data(), what);
  print_place();
  std::fputc('\n', stderr);
  print_stack_trace();
  std::abort();
}

void Block::begin_launch(std::string_view op, dim3 shape, std::uint64_t seed,
                         FunctionRef<void()> body) {
  op_ = op;
  body_ = body;
  size_ = shape.x * shape.y * shape.z;
  const Permutation order(seed, size_);
  for (unsigned position = 0; position < size_; ++position) {
    thread_at_[position] = static_cast<std::uint16_t>(order(position));
    threads_[thread_at_[position]].position = position;
  }
  Thread* thread = threads_;
  for (unsigned z = 0; z < shape.z; ++z) {
    for (unsigned y = 0; y < shape.y; ++y) {
      for (unsigned x = 0; x < shape.x; ++x) (thread++)->index = {x, y, z};
    }
  }
}

void Block::run() {
  for (unsigned first = 0; first < size_; first += kWarpSize) {
    const unsigned lanes = size_ - first;
    warps_[first / kWarpSize] = {lanes >= kWarpSize ? ~0u : (1u << lanes) - 1, 0, 0};
  }
  runnable_.assign_first(size_);
  live_ = size_;
  arrived_ = cursor_ = 0;
  Fiber host;
  host_ = &host;
  Fiber& first = fibers_.take();
  Thread& thread = *take_next();
  thread.fiber = &first;
  select(thread);
  const std::uintptr_t lowest = __sancov_lowest_stack;
  host.switch_to(first);
  __sancov_lowest_stack = lowest;  // a fiber's address says nothing
  current_ = nullptr;
}

void Block::select(Thread& thread) {
  current_ = &thread;
  threadIdx = thread.index;
}

void Block::fiber_main() { block().run_threads(); }

// Whoever switches to an idle fiber has selected the thread that it is to start.
void Block::run_threads() {
  Fiber& self = *current_->fiber;
  for (;;) {
    body_();
    exit_thread();
    Thread* next = take_next();
    if (next != nullptr && next->fiber == nullptr) {
      next->fiber = &self;
      select(*next);
      continue;
    }
    fibers_.give(self);
    if (next != nullptr) select(*next);
    self.switch_to(next != nullptr ? *next->fiber : *host_);
  }
}

void Block::exit_thread() {
  warps_[warp_index(*current_)].exited |= 1u << lane();
  current_->fiber = nullptr;
  --live_;
  release_barrier_when_complete();
}

// The running thread gives its turn away; it is runnable already or waits for somebody.
void Block::park() {
  Thread& self = *current_;
  Thread& next = *take_next();
  if (&next != &self) {
    if (next.fiber == nullptr) next.fiber = &fibers_.take();
    select(next);
    self.fiber->switch_to(*next.fiber);
  }
  if (deadlock_ != nullptr) fault(deadlock_);
}

Thread* Block::take_next() {
  const unsigned position = runnable_.next(cursor_);
  if (position == PositionSet::kNone) return live_ == 0 ? nullptr : &blame_deadlock();
  runnable_.remove(position);
  cursor_ = position + 1;
  return &threads_[thread_at_[position]];
}

void Block::wait_for_block() {
  at_barrier_.add(current_->position);
  ++arrived_;
  release_barrier_when_complete();
  park();
}

// Threads that have exited take no part. The order starts over: each phase runs in the same order.
void Block::release_barrier_when_complete() {
  if (arrived_ == 0 || arrived_ != live_) return;
  runnable_.take_all(at_barrier_);
  arrived_ = cursor_ = 0;
}

}  // namespace prelaunch::emulator

void __syncthreads() { prelaunch::emulator::block().wait_for_block(); }

PRELAUNCH_UNWATCHED_END
