// Where generators take their decisions from: first the bytes of a fuzzer's input, so that mutating
// them changes the call a little at a time, then a generator seeded by those bytes. No
// std::*_distribution: they differ between libraries, and the same bytes must give the same call on
// every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace prelaunch {

class Choices {
 public:
  // `bytes` are borrowed and must outlive the choices.
  explicit Choices(std::span<const std::uint8_t> bytes, std::uint64_t seed = 0)
      : bytes_(bytes), state_(seed) {
    for (const std::uint8_t byte : bytes) state_ = (state_ ^ byte) * 0x100000001b3u;
  }
  explicit Choices(std::uint64_t seed) : state_(seed) {}

  // A number in [0, count); 0 stands for 2^64. One byte of input decides among up to 256.
  std::uint64_t below(std::uint64_t count) {
    std::uint64_t value = byte();
    for (std::uint64_t most = 255; most < count - 1; most = most << 8 | 255) {
      value = value << 8 | byte();
    }
    return count == 0 ? value : value % count;
  }
  // A number in [first, last]. Unsigned, because the distance may not fit int64.
  std::int64_t between(std::int64_t first, std::int64_t last) {
    const auto start = static_cast<std::uint64_t>(first);
    return static_cast<std::int64_t>(start + below(static_cast<std::uint64_t>(last) - start + 1));
  }
  bool one_in(std::uint64_t count) { return below(count) == 0; }

  template <class T, std::size_t kSize>
  T of(const T (&options)[kSize]) {
    return options[below(kSize)];
  }

 private:
  std::uint8_t byte() {
    if (next_ < bytes_.size()) return bytes_[next_++];
    // SplitMix64, one output per eight bytes.
    if (spare_ == 0) {
      std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
      z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
      z = (z ^ z >> 27) * 0x94d049bb133111ebu;
      word_ = z ^ z >> 31;
      spare_ = 8;
    }
    return static_cast<std::uint8_t>(word_ >> 8 * --spare_);
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t next_ = 0;
  std::uint64_t state_, word_ = 0;
  unsigned spare_ = 0;
};

}  // namespace prelaunch
