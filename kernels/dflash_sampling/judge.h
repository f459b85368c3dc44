// The first kernel: judges each row of logits. For kernel.cu only.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/dflash_sampling/verification.h"

namespace prelaunch::dflash_sampling {

// A row of logits, as one block reads it.
template <class Type, bool kVectors>
struct Reader {
  using Block = Unit<Type, kVectors>;
  // Units that a thread has under way at once.
  static constexpr int kFlight = kVectors ? 16 / Block::kSize : 8;
  const typename Type::Bits* row;
  std::int64_t vocab;

  // Calls visit(unit, number) for each of a thread's units.
  template <class Visit>
  __device__ __forceinline__ void each(Visit visit) const {
    const std::int64_t units = vocab / Block::kSize;
    for (std::int64_t u = threadIdx.x; u < units; u += std::int64_t{kFlight} * kRowThreads) {
      Block block[kFlight];
      for (int k = 0; k < kFlight; ++k) {
        const std::int64_t number = u + k * std::int64_t{kRowThreads};
        if (number < units) block[k].load(row, number);
      }
      for (int k = 0; k < kFlight; ++k) {
        const std::int64_t number = u + k * std::int64_t{kRowThreads};
        if (number < units) visit(block[k], number);
      }
    }
    // The row's end, on the thread whose turn it is.
    const std::int64_t rest = vocab % Block::kSize;
    if (rest == 0 || units % kRowThreads != threadIdx.x) return;
    Block block;
    block.load_part(row + units * Block::kSize, rest);
    visit(block, units);
  }
};

// The sum of weigh(logit) over unit number `number`, without the token `but`.
template <class Block, class Weigh>
__device__ __forceinline__ float sum_of(const Block& block, std::int64_t number, std::int64_t but,
                                        Weigh weigh) {
  const std::int64_t left = but - number * Block::kSize;
  float sum = 0;
  for (int i = 0; i < Block::kSize; ++i) sum += i == left ? 0.0f : weigh(block[i]);
  return sum;
}

// A thread's own sums for the sixteen values of a digit: no two threads meet, so there is no order
// in which they could.
struct Digits {
  float of[16][kRowThreads];
};
struct DigitSums {
  double of[16];
};

// The largest key that the tokens with at least this key weigh `target` or more; 0 when all
// together do not. Tokens that weigh nothing are not there.
template <class Type, bool kVectors, class Weigh>
__device__ std::uint32_t descend(const Reader<Type, kVectors>& reader, double target, Weigh weigh) {
  auto& digits = shared<Digits>();
  auto& sums = shared<DigitSums>();
  std::uint32_t prefix = 0;
  double above = 0;
  for (int level = 0; level < Type::kDigits; ++level) {
    const int shift = 28 - 4 * level;
    for (auto& digit : digits.of) digit[threadIdx.x] = 0;
    reader.each([&](const auto& block, std::int64_t) {
      for (int i = 0; i < block.kSize; ++i) {
        const std::uint32_t key = key_of(block[i]);
        // Two shifts: one by 32 would mean nothing.
        if (key >> shift >> 4 != prefix) continue;
        digits.of[key >> shift & 15u][threadIdx.x] += weigh(block[i], key);
      }
    });
    __syncthreads();
    // As many lanes for each digit.
    constexpr unsigned kLanes = kRowThreads / 16;
    const unsigned digit_of_lane = threadIdx.x / kLanes;
    double sum = 0;
    for (unsigned t = threadIdx.x % kLanes; t < kRowThreads; t += kLanes) {
      sum += static_cast<double>(digits.of[digit_of_lane][t]);
    }
    for (int step = kLanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(kAllLanes, sum, step);
    if (threadIdx.x % kLanes == 0) sums.of[digit_of_lane] = sum;
    __syncthreads();
    // Where rounding leaves nothing that reaches the target, all that is left is taken.
    std::uint32_t digit = 15;
    while (digit > 0 && !(sums.of[digit] > 0 && above + sums.of[digit] >= target)) {
      above += sums.of[digit--];
    }
    prefix = prefix << 4 | digit;
  }
  return prefix << (32 - 4 * Type::kDigits);
}

// Half of what a cut-off may be off: a cumulative mass that is rounded is never taken for one that
// has not reached top_p when it has.
inline constexpr double kSlack = 0x1p-16;

// One row's verdict: the block's threads all compute it. `but` is the draft after it, or -1.
template <class Type, bool kVectors>
__device__ Row judge_row(const Verification& v, std::int64_t b, std::int64_t r) {
  Row out{0, 0, 0, 0, Verdict::kBadDistribution};
  const float temperature = v.temperatures[b];
  const float top_p = v.top_ps.data != nullptr ? v.top_ps[b] : 1.0f;
  // Both comparisons fail for a NaN.
  if (!(temperature >= 0x1p-126f && temperature < __builtin_inff()) || top_p != top_p) return out;
  const float scale = out.scale = scale_of(temperature);
  const bool last = r == v.n - 1;
  const std::int64_t draft =
      last ? -1 : v.candidates[b * v.candidates_row + (r + 1) * v.candidates_column];
  const bool in_range = draft >= 0 && draft < v.vocab;
  const std::int64_t but = in_range ? draft : -1;
  const Reader<Type, kVectors> reader{
      static_cast<const typename Type::Bits*>(v.logits) + (b * v.n + r) * v.logits_row, v.vocab};

  // The mass in units of the largest seen so far: rescaled where a larger one appears.
  float most = kMinusInfinity;
  double mass = 0;
  bool bad = false;
  reader.each([&](const auto& block, std::int64_t number) {
    float here = most;
    for (int i = 0; i < block.kSize; ++i) {
      bad |= !(block[i] < __builtin_inff());
      here = fmaxf(here, block[i]);
    }
    if (here == kMinusInfinity) return;
    if (here > most) {
      mass *= static_cast<double>(mass_of(most, 0.5f * here, scale));
      most = here;
    }
    const float half = 0.5f * most;
    mass += static_cast<double>(
        sum_of(block, number, but, [&](float logit) { return mass_of(logit, half, scale); }));
  });
  const float largest = join_block<kRowThreads>(bad ? __builtin_inff() : most, Max());
  if (largest == __builtin_inff() || largest == kMinusInfinity) return out;
  const float half_max = out.half_max = 0.5f * largest;
  // A thread that saw -inf alone has no mass to scale.
  if (most > kMinusInfinity) mass *= static_cast<double>(mass_of(most, half_max, scale));
  out.mass = static_cast<float>(join_block<kRowThreads>(mass, Add()));
  const float draft_logit = in_range ? Type::widen(__ldg(reader.row + draft)) : kMinusInfinity;
  float draft_mass = mass_of(draft_logit, half_max, scale);

  const auto keep = [&](std::uint32_t least_key) {
    out.least_key = least_key;
    if (key_of(draft_logit) < least_key) draft_mass = 0;
    double kept = 0;
    reader.each([&](const auto& block, std::int64_t number) {
      kept += static_cast<double>(sum_of(block, number, but, [&](float logit) {
        return key_of(logit) >= least_key ? mass_of(logit, half_max, scale) : 0.0f;
      }));
    });
    out.mass = static_cast<float>(join_block<kRowThreads>(kept, Add()));
  };
  const std::int64_t k = v.top_ks.data != nullptr ? v.top_ks[b * v.top_ks_stride] : v.vocab;
  if (k < v.vocab) {
    // A part of a unit counts -inf too often, but no less than all that is real is there.
    keep(descend(reader, static_cast<double>(k > 1 ? k : 1),
                 [](float, std::uint32_t) { return 1.0f; }));
  }
  if (top_p < 1) {
    const std::uint32_t least_key = out.least_key;
    const double total = static_cast<double>(out.mass) + static_cast<double>(draft_mass);
    const auto kept_mass = [&](float logit, std::uint32_t key) {
      return key >= least_key ? mass_of(logit, half_max, scale) : 0.0f;
    };
    const double target = (static_cast<double>(top_p) - kSlack) * total;
    keep(top_p > 0 ? Max()(least_key, descend(reader, target, kept_mass)) : key_of(largest));
  }

  if (last) {
    out.verdict = Verdict::kLast;
    return out;
  }
  const float coin = v.coins[b * v.coins_row + r * v.coins_column];
  if (!is_coin(coin)) {
    out.verdict = Verdict::kCoinOutOfRange;
  } else if (!in_range) {
    out.verdict = Verdict::kTokenOutOfRange;
  } else {
    // Multiplied out, in double: a quotient could lose all its digits.
    const double p = draft_mass, total = static_cast<double>(out.mass) + p;
    const double price = static_cast<double>(coin) * static_cast<double>(v.threshold_acc) * total;
    const bool accepted =
        p > 0 && (price < p || p >= static_cast<double>(v.threshold_single) * total);
    out.verdict = accepted ? Verdict::kAccepted : Verdict::kRejected;
  }
  return out;
}

template <class Type, bool kVectors>
__global__ void __launch_bounds__(kRowThreads, 2) judge_kernel(const Verification v) {
  const auto n = static_cast<unsigned>(v.n);
  const auto rows = static_cast<unsigned>(v.count) * n;
  for (unsigned i = blockIdx.x; i < rows; i += gridDim.x) {
    const Row row = judge_row<Type, kVectors>(v, v.first + i / n, i % n);
    if (threadIdx.x == 0) v.rows[i] = row;
    __syncthreads();  // the shared sums have been read
  }
}

}  // namespace prelaunch::dflash_sampling
