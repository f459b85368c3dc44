// Warp collectives: shuffles, votes, __syncwarp. The lanes that a mask names meet: each deposits
// what it brings, and the last one resolves the collective for all. Disjoint masks may be under way
// at the same time. An emulator fault (grid.h): a caller that its own mask does not name, a mask
// that names a lane that does not exist or has exited, a width that is no power of two up to 32,
// and lanes whose masks or kinds differ so that they never meet.
//
// What CUDA leaves undefined but harmless, the value that a shuffle reads from a lane outside of
// the mask, is garbage here.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/emulator/half.h"

namespace prelaunch::emulator {

enum class Collective : std::uint8_t {
  kSyncWarp,
  kShuffle,
  kShuffleUp,
  kShuffleDown,
  kShuffleXor,
  kBallot,
  kAny,
  kAll,
};

struct Deposit {
  Collective kind = Collective::kSyncWarp;
  unsigned mask = 0;
  // For shuffles: the lane that is read.
  unsigned source = 0;
  std::uint64_t value = 0;
};

// `operand` is the shuffle's lane, delta or lane mask.
std::uint64_t shuffle_bits(Collective kind, unsigned mask, std::uint64_t value, unsigned operand,
                           int width);
// The lanes of the mask for which `predicate` holds.
unsigned vote(Collective kind, unsigned mask, int predicate);

template <class T>
concept Shuffled = (std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8)) ||
                   std::is_same_v<T, __half> || std::is_same_v<T, __half2> ||
                   std::is_same_v<T, __nv_bfloat16> || std::is_same_v<T, __nv_bfloat162>;

template <Shuffled T>
T shuffle(Collective kind, unsigned mask, T value, unsigned operand, int width) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = shuffle_bits(kind, mask, bits, operand, width);
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

}  // namespace prelaunch::emulator

void __syncwarp(unsigned mask = 0xffffffffu);

template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  using prelaunch::emulator::Collective;
  return prelaunch::emulator::shuffle(Collective::kShuffle, mask, value,
                                      static_cast<unsigned>(lane), width);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  using prelaunch::emulator::Collective;
  return prelaunch::emulator::shuffle(Collective::kShuffleUp, mask, value, delta, width);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  using prelaunch::emulator::Collective;
  return prelaunch::emulator::shuffle(Collective::kShuffleDown, mask, value, delta, width);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
  using prelaunch::emulator::Collective;
  return prelaunch::emulator::shuffle(Collective::kShuffleXor, mask, value,
                                      static_cast<unsigned>(lane_mask), width);
}

inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return prelaunch::emulator::vote(prelaunch::emulator::Collective::kBallot, mask, predicate);
}
inline int __any_sync(unsigned mask, int predicate) {
  using prelaunch::emulator::Collective;
  return prelaunch::emulator::vote(Collective::kAny, mask, predicate) != 0 ? 1 : 0;
}
inline int __all_sync(unsigned mask, int predicate) {
  using prelaunch::emulator::Collective;
  return prelaunch::emulator::vote(Collective::kAll, mask, predicate) == mask ? 1 : 0;
}
