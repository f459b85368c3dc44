// Seeded orders and seeded garbage: the same on every machine.
//
// Seeds come in pairs. 2k + 1 is the order of 2k backwards, so that between the two each pair of
// threads runs both ways round: what a missing barrier lets race comes out differently in at least
// one of them. Seed 0 is the natural order, seed 1 its reverse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>

namespace prelaunch::emulator {

// SplitMix64's output function.
constexpr std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

// An affine permutation of [0, size): takes no memory, whatever the size of a grid.
class Permutation {
 public:
  // `size` > 0.
  constexpr Permutation(std::uint64_t seed, std::uint64_t size)
      : size_(size), backwards_(seed % 2 == 1) {
    if (seed / 2 == 0) return;
    factor_ = mix(seed / 2) % size;
    while (std::gcd(factor_, size) != 1) ++factor_;
    offset_ = mix(~(seed / 2)) % size;
  }

  constexpr std::uint64_t operator()(std::uint64_t i) const {
    if (backwards_) i = size_ - 1 - i;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{factor_} * i + offset_) % size_);
  }

 private:
  std::uint64_t size_, factor_ = 1, offset_ = 0;
  bool backwards_;
};

// Overwrites `bytes` bytes with what no kernel can have meant.
inline void fill_garbage(void* data, std::size_t bytes, std::uint64_t seed) {
  auto* out = static_cast<unsigned char*>(data);
  for (; bytes >= sizeof(seed); out += sizeof(seed), bytes -= sizeof(seed)) {
    seed = mix(seed);
    __builtin_memcpy(out, &seed, sizeof(seed));
  }
  seed = mix(seed);
  __builtin_memcpy(out, &seed, bytes);
}

}  // namespace prelaunch::emulator
