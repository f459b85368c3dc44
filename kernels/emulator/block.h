// The threads of one block, as fibers that take turns. Internal to the emulator.
//
// A thread keeps its turn until it blocks in a barrier or a warp collective, or exits. Then the
// next thread that can run, in the launch's seeded order, has the turn; after a barrier the order
// starts over. A fiber whose thread has exited starts the next one at once, so a kernel that never
// blocks needs a single fiber.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/emulator/cuda.h"
#include "kernels/emulator/fibers.h"
#include "kernels/emulator/function_ref.h"
#include "kernels/emulator/position_set.h"
#include "kernels/emulator/sanitizer.h"

namespace prelaunch::emulator {

inline constexpr unsigned kMaxThreads = PositionSet::kSize;
inline constexpr unsigned kWarpSize = 32;

struct Thread {
  uint3 index{};
  // Its place in the launch's order.
  unsigned position = 0;
  // Null before it starts.
  Fiber* fiber = nullptr;
  // What it brings to a warp collective; afterwards `value` is what it takes from it.
  Deposit deposit;
};

// A bit per lane.
struct Warp {
  unsigned exists = 0, exited = 0, waiting = 0;
};

PRELAUNCH_UNWATCHED_BEGIN
class Block {
 public:
  // For all blocks of a launch: what runs, in the order of `seed`. `shape` is within the limits;
  // `op` and `body` are borrowed until the last run() has returned.
  void begin_launch(std::string_view op, dim3 shape, std::uint64_t seed, FunctionRef<void()> body);
  // Runs the threads of the block that blockIdx names until all have exited.
  void run();

  // For the running thread. Both return when it has its turn again.
  void wait_for_block();
  std::uint64_t wait_for_warp(const Deposit& deposit);

  // Null outside of a kernel.
  const Thread* current() const { return current_; }
  std::string_view op() const { return op_; }
  unsigned lane() const { return linear(*current_) % kWarpSize; }

 private:
  static void fiber_main();
  void run_threads();
  void select(Thread& thread);
  void park();
  void exit_thread();
  // The thread that has the next turn; null when all have exited.
  Thread* take_next();
  void release_barrier_when_complete();

  unsigned linear(const Thread& thread) const { return static_cast<unsigned>(&thread - threads_); }
  unsigned warp_index(const Thread& thread) const { return linear(thread) / kWarpSize; }

  // In warp.cc.
  void check_arrival(const Warp& warp, const Deposit& deposit) const;
  bool complete(unsigned warp, const Deposit& deposit) const;
  void resolve(unsigned warp, const Deposit& deposit);
  Thread& blame_deadlock();
  const char* explain_deadlock(const Warp& warp, const Thread& waiting) const;

  std::string_view op_;
  FunctionRef<void()> body_;
  unsigned size_ = 0, live_ = 0, arrived_ = 0, cursor_ = 0;
  Thread* current_ = nullptr;
  // Set when nobody can run: what the thread that is blamed for it raises on its own stack.
  const char* deadlock_ = nullptr;
  Fiber* host_ = nullptr;
  FiberPool fibers_{&fiber_main};
  PositionSet runnable_, at_barrier_;
  Warp warps_[kMaxThreads / kWarpSize];
  std::uint16_t thread_at_[kMaxThreads] = {};
  Thread threads_[kMaxThreads];
};
PRELAUNCH_UNWATCHED_END

// The block that runs; there is one at a time.
Block& block();

// Ends the process: somebody did what no GPU defines. Prints one line, "emulator fault: <op>:
// <what> block (x,y,z) thread (x,y,z)" (block and thread only inside a kernel), and the stack where
// a sanitizer can.
[[noreturn]] void fault(const char* what);

// " block (x,y,z) thread (x,y,z)" on stderr, inside a kernel.
void print_place();

}  // namespace prelaunch::emulator
