// A set of small numbers that finds its next member in a few instructions.
#pragma once

#include <cstdint>

#include "kernels/emulator/sanitizer.h"

namespace prelaunch::emulator {

PRELAUNCH_UNWATCHED_BEGIN
class PositionSet {
 public:
  static constexpr unsigned kSize = 1024;
  static constexpr unsigned kNone = kSize;

  void add(unsigned i) { words_[i / 64] |= std::uint64_t{1} << i % 64; }
  void remove(unsigned i) { words_[i / 64] &= ~(std::uint64_t{1} << i % 64); }

  // Makes it [0, count).
  void assign_first(unsigned count) {
    for (unsigned i = 0; i < kWords; ++i) {
      const unsigned members = count > i * 64 ? count - i * 64 : 0;
      words_[i] = members >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << members) - 1;
    }
  }

  void take_all(PositionSet& other) {
    for (unsigned i = 0; i < kWords; ++i) {
      words_[i] |= other.words_[i];
      other.words_[i] = 0;
    }
  }

  // The first member at or after `from`, else the first of all, else kNone.
  unsigned next(unsigned from) const {
    const unsigned found = from < kSize ? search(from / 64, ~std::uint64_t{0} << from % 64) : kNone;
    return found != kNone ? found : search(0, ~std::uint64_t{0});
  }

 private:
  // `mask` selects among the members of the first word.
  unsigned search(unsigned word, std::uint64_t mask) const {
    std::uint64_t bits = words_[word] & mask;
    while (bits == 0) {
      if (++word == kWords) return kNone;
      bits = words_[word];
    }
    return word * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
  }

  static constexpr unsigned kWords = kSize / 64;
  std::uint64_t words_[kWords] = {};
};
PRELAUNCH_UNWATCHED_END

}  // namespace prelaunch::emulator
