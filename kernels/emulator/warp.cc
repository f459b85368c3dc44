#include "kernels/emulator/warp.h"

#include <bit>

#include "kernels/emulator/block.h"
#include "kernels/emulator/order.h"
#include "kernels/emulator/sanitizer.h"

PRELAUNCH_UNWATCHED_BEGIN

namespace prelaunch::emulator {
namespace {

// Calls visit(lane) for each lane of the mask, lowest first.
template <class Visit>
void for_each_lane(unsigned mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<unsigned>(__builtin_ctz(mask)));
}

// The lane that a shuffle reads, as PTX's shfl.sync defines it: five bits of the operand count, and
// a lane beyond the end of the caller's segment stands for the caller itself.
unsigned source_lane(Collective kind, unsigned lane, unsigned operand, unsigned width) {
  const unsigned first = lane & ~(width - 1), last = first + width - 1;
  operand &= kWarpSize - 1;
  switch (kind) {
    case Collective::kShuffleUp:
      return lane >= first + operand ? lane - operand : lane;
    case Collective::kShuffleDown:
      return lane + operand <= last ? lane + operand : lane;
    case Collective::kShuffleXor:
      return (lane ^ operand) <= last ? lane ^ operand : lane;
    default:
      return first | (operand & (width - 1));
  }
}

}  // namespace

std::uint64_t shuffle_bits(Collective kind, unsigned mask, std::uint64_t value, unsigned operand,
                           int width) {
  const auto lanes = static_cast<unsigned>(width);
  if (!std::has_single_bit(lanes) || lanes > kWarpSize) {
    fault("a shuffle's width must be a power of two up to 32");
  }
  const unsigned source = source_lane(kind, block().lane(), operand, lanes);
  return block().wait_for_warp({kind, mask, source, value});
}

unsigned vote(Collective kind, unsigned mask, int predicate) {
  const std::uint64_t holds = predicate != 0 ? 1 : 0;
  return static_cast<unsigned>(block().wait_for_warp({kind, mask, 0, holds}));
}

void Block::check_arrival(const Warp& warp, const Deposit& deposit) const {
  if ((deposit.mask >> lane() & 1u) == 0) fault("a caller of a warp collective is not in its mask");
  if ((deposit.mask & ~warp.exists) != 0) {
    fault("the mask of a warp collective names a lane that does not exist");
  }
  if ((deposit.mask & warp.exited) != 0) {
    fault("the mask of a warp collective names a lane that has exited");
  }
}

std::uint64_t Block::wait_for_warp(const Deposit& deposit) {
  Thread& self = *current_;
  const unsigned index = warp_index(self);
  check_arrival(warps_[index], deposit);
  self.deposit = deposit;
  warps_[index].waiting |= 1u << lane();
  if (complete(index, deposit)) resolve(index, deposit);
  park();
  return self.deposit.value;
}

// Whether all lanes of the mask wait, with the same mask and kind.
bool Block::complete(unsigned warp, const Deposit& deposit) const {
  if ((deposit.mask & ~warps_[warp].waiting) != 0) return false;
  bool same = true;
  for_each_lane(deposit.mask, [&](unsigned lane) {
    const Deposit& other = threads_[warp * kWarpSize + lane].deposit;
    same &= other.mask == deposit.mask && other.kind == deposit.kind;
  });
  return same;
}

void Block::resolve(unsigned warp, const Deposit& deposit) {
  Thread* const lanes = &threads_[warp * kWarpSize];
  std::uint64_t brought[kWarpSize];
  std::uint64_t ballot = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) brought[lane] = mix(lane);
  for_each_lane(deposit.mask, [&](unsigned lane) {
    brought[lane] = lanes[lane].deposit.value;
    ballot |= (brought[lane] & 1) << lane;
  });
  const bool votes = deposit.kind >= Collective::kBallot;
  for_each_lane(deposit.mask, [&](unsigned lane) {
    Thread& thread = lanes[lane];
    thread.deposit.value = votes ? ballot : brought[thread.deposit.source];
    runnable_.add(thread.position);
  });
  warps_[warp].waiting &= ~deposit.mask;
}

// Nobody can run, somebody lives: everybody waits in a barrier or a collective. A thread in a
// collective is to blame, if there is one; it gets the turn, so that the stack printed is its own.
Thread& Block::blame_deadlock() {
  for (unsigned i = 0; i < size_; ++i) {
    const Warp& warp = warps_[i / kWarpSize];
    if ((warp.waiting >> i % kWarpSize & 1u) == 0) continue;
    deadlock_ = explain_deadlock(warp, threads_[i]);
    return threads_[i];
  }
  deadlock_ = "a barrier that not every thread reaches";
  return threads_[thread_at_[at_barrier_.next(0)]];
}

const char* Block::explain_deadlock(const Warp& warp, const Thread& waiting) const {
  if ((waiting.deposit.mask & warp.exited) != 0) {
    return "a lane exited that a warp collective waits for:";
  }
  if (arrived_ != 0) return "a barrier that not every thread reaches: a warp collective waits at";
  return "lanes wait in warp collectives that never meet:";
}

}  // namespace prelaunch::emulator

void __syncwarp(unsigned mask) {
  using namespace prelaunch::emulator;
  static_cast<void>(block().wait_for_warp({Collective::kSyncWarp, mask, 0, 0}));
}

PRELAUNCH_UNWATCHED_END
