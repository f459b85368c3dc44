#include "fuzz/campaign/schedule.h"

#include <algorithm>

namespace prelaunch::fuzz {
namespace {

using std::chrono::seconds;

// A fuzzer reads its corpus before it does anything new.
constexpr seconds kShortest{30}, kLongest{600};
// Of the second half, for each target on average.
constexpr int kSlicesEach = 4;

}  // namespace

Schedule::Schedule(std::size_t targets, unsigned jobs, seconds budget) : targets_(targets) {
  if (targets == 0) return;
  const auto count = static_cast<std::int64_t>(targets);
  const std::int64_t workers = std::max<std::int64_t>(jobs / count, 1) * count;
  const seconds all = budget * std::min<std::int64_t>(jobs, workers);
  const bool halved = all / 2 / workers >= kShortest;
  for (Target& target : targets_) target.slices_left = static_cast<std::size_t>(workers / count);
  equal_ = std::max((halved ? all / 2 : all) / workers, seconds{1});
  if (!halved) return;
  slice_ = std::clamp(all / 2 / (count * kSlicesEach), kShortest, kLongest);
  slices_left_ = static_cast<std::size_t>(all / 2 / slice_);
}

std::optional<Slice> Schedule::next() {
  if (auto slice = first_half()) return slice;
  return second_half();
}

// In turns, so that a target does not wait for all workers of another.
std::optional<Slice> Schedule::first_half() {
  const auto most = std::max_element(
      targets_.begin(), targets_.end(),
      [](const Target& a, const Target& b) { return a.slices_left < b.slices_left; });
  if (most == targets_.end() || most->slices_left == 0) return std::nullopt;
  --most->slices_left;
  ++most->running;
  return Slice{static_cast<std::size_t>(most - targets_.begin()), equal_, false};
}

// A target that has a worker already gains less from another. Where nothing grows, all are alike.
std::optional<Slice> Schedule::second_half() {
  if (slices_left_ == 0) return std::nullopt;
  const auto worth = [](const Target& t) { return t.growth / static_cast<double>(1 + t.running); };
  const auto best =
      std::max_element(targets_.begin(), targets_.end(),
                       [&](const Target& a, const Target& b) { return worth(a) < worth(b); });
  const bool nothing_grew = worth(*best) <= 0;
  const auto idle =
      std::min_element(targets_.begin(), targets_.end(),
                       [](const Target& a, const Target& b) { return a.running < b.running; });
  const auto chosen = nothing_grew ? idle : best;
  --slices_left_;
  ++chosen->running;
  return Slice{static_cast<std::size_t>(chosen - targets_.begin()), slice_, true};
}

void Schedule::ended(const Slice& slice, std::size_t inputs) {
  Target& target = targets_[slice.target];
  --target.running;
  const auto time = static_cast<double>(std::max<std::int64_t>(slice.time.count(), 1));
  target.growth = static_cast<double>(inputs) / time;
}

seconds Schedule::planned(std::size_t target) const {
  return equal_ * static_cast<std::int64_t>(targets_[target].slices_left);
}

}  // namespace prelaunch::fuzz
