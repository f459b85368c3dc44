#include "kernels/emulator/fibers.h"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/detail/fcontext.hpp>
#include <new>

#include "kernels/emulator/sanitizer.h"

PRELAUNCH_UNWATCHED_BEGIN

namespace prelaunch::emulator {
namespace {

namespace context = boost::context::detail;

constexpr std::size_t kColours = 64 * 1024;
static_assert(kColours <= kFiberStackBytes / 4);

// Returns the lowest address of a fresh stack, which has a guard page below it.
void* map_stack(std::size_t bytes) {
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* base = mmap(nullptr, bytes + page, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  if (mprotect(base, page, PROT_NONE) != 0) throw std::bad_alloc();
  return static_cast<std::byte*>(base) + page;
}

// Stacks that all began at the same place of a page would share a few sets of the caches.
std::size_t next_colour() {
  static std::size_t colour = 0;
  colour = (colour + 11 * 64) % kColours;
  return colour;
}

}  // namespace

// What runs first on the side that is switched to: the fiber left behind is suspended from here on.
struct Fiber::Start {
  Fiber* from;
  Fiber* to;

  static void arrive([[maybe_unused]] void* fake_stack, context::transfer_t transfer) {
    Fiber& from = *static_cast<Start*>(transfer.data)->from;
#if PRELAUNCH_ASAN
    __sanitizer_finish_switch_fiber(fake_stack, &from.bottom_, &from.size_);
#endif
    from.context_ = transfer.fctx;
  }

  static void begin(context::transfer_t transfer) {
    const Entry entry = static_cast<Start*>(transfer.data)->to->entry_;
    arrive(nullptr, transfer);
    entry();
    __builtin_trap();
  }
};

Fiber::Fiber(Entry entry)
    : bottom_(map_stack(kFiberStackBytes)), size_(kFiberStackBytes - next_colour()), entry_(entry) {
  std::byte* bottom = static_cast<std::byte*>(const_cast<void*>(bottom_));
  context_ = context::make_fcontext(bottom + size_, size_, &Start::begin);
}

void Fiber::switch_to(Fiber& to) {
  Start start{this, &to};
  void* fake_stack = nullptr;
#if PRELAUNCH_ASAN
  __sanitizer_start_switch_fiber(&fake_stack, to.bottom_, to.size_);
#endif
  Start::arrive(fake_stack, context::jump_fcontext(to.context_, &start));
}

Fiber& FiberPool::take() {
  if (idle_.empty()) return *new Fiber(entry_);
  Fiber* fiber = idle_.back();
  idle_.pop_back();
  return *fiber;
}

}  // namespace prelaunch::emulator

PRELAUNCH_UNWATCHED_END
