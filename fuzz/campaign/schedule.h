// Shares a campaign's time among its targets: one half equally, the other, slice by slice, with the
// target that grows fastest.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace prelaunch::fuzz {

// Time that one worker gives to one target.
struct Slice {
  std::size_t target = 0;
  std::chrono::seconds time{0};
  bool extra = false;  // of the second half

  friend bool operator==(const Slice&, const Slice&) = default;
};

class Schedule {
 public:
  // `jobs` workers at a time, each for `budget`. Short campaigns are shared equally as a whole: a
  // slice that starts a fuzzer must be worth the start.
  Schedule(std::size_t targets, unsigned jobs, std::chrono::seconds budget);

  // The slice to start next; nothing when all time is given away.
  std::optional<Slice> next();
  // A slice that has ended: how many inputs it added to its target's corpus.
  void ended(const Slice& slice, std::size_t inputs);

  // Time that will still be given to a target equally: what one can say beforehand.
  std::chrono::seconds planned(std::size_t target) const;

 private:
  struct Target {
    std::size_t slices_left = 0;  // of the first half
    std::size_t running = 0;
    double growth = 0;  // inputs a second in its last slice
  };
  std::optional<Slice> first_half();
  std::optional<Slice> second_half();

  std::vector<Target> targets_;
  std::chrono::seconds equal_{0};  // a slice of the first half
  std::chrono::seconds slice_{0};  // and of the second
  std::size_t slices_left_ = 0;    // of the second
};

}  // namespace prelaunch::fuzz
