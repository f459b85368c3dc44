// Stacks that take turns: a thin layer over Boost.Context's jump_fcontext that tells ASan of every
// switch. (boost::context::fiber does both too, but is sixty times slower under ASan.)
//
// Build with -fsanitize-address-use-after-return=never: a fake stack per fiber costs ten times
// more.
#pragma once

#include <cstddef>
#include <vector>

namespace prelaunch::emulator {

// Enough for the largest local arrays of the kernels in ASan's frames; pages cost only once
// touched.
inline constexpr std::size_t kFiberStackBytes = 256 * 1024;

class Fiber {
 public:
  // What a fiber runs. It never returns: a fiber that has nothing to do switches away.
  using Entry = void (*)();

  // The stack that the caller runs on.
  Fiber() = default;
  // A stack of its own above a guard page, never given back. Throws std::bad_alloc.
  explicit Fiber(Entry entry);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Suspends this fiber, which must be the running one, and resumes `to`, another one. Returns when
  // somebody switches to this one.
  void switch_to(Fiber& to);

 private:
  struct Start;

  void* context_ = nullptr;
  // The stack's lowest address, for ASan; of the caller's own stack, learnt on the first switch.
  const void* bottom_ = nullptr;
  std::size_t size_ = 0;
  Entry entry_ = nullptr;
};

// Fibers without work. Keeps every fiber that it ever made, for good.
class FiberPool {
 public:
  explicit FiberPool(Fiber::Entry entry) : entry_(entry) {}
  Fiber& take();
  void give(Fiber& fiber) { idle_.push_back(&fiber); }

 private:
  Fiber::Entry entry_;
  std::vector<Fiber*> idle_;
};

}  // namespace prelaunch::emulator
