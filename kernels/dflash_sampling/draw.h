// The second kernel: accepts drafts and draws. For kernel.cu only.
#pragma once

#include <cstdint>

#include "kernels/common/record_fault.h"
#include "kernels/dflash_sampling/verification.h"

namespace prelaunch::dflash_sampling {

// Consecutive tokens of a thread; a block takes kDrawThreads as many at a time.
inline constexpr int kRun = 16;

struct WarpMasses {
  float of[2][kDrawThreads / kWarp];
};
struct Drawn {
  std::int64_t token;
};

// Draws from what is kept of `row` without the token `but`; -1 where that has no mass. To be called
// by all.
template <class Type, bool kVectors>
__device__ std::int64_t draw(const Verification& v, std::int64_t b, std::int64_t r, const Row& row,
                             std::int64_t but, float coin) {
  using Block = Unit<Type, kVectors>;
  constexpr int kUnits = kRun / Block::kSize;
  const auto* logits =
      static_cast<const typename Type::Bits*>(v.logits) + (b * v.n + r) * v.logits_row;
  const double target = static_cast<double>(coin) * static_cast<double>(row.mass);
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  auto& masses = shared<WarpMasses>();
  auto& drawn = shared<Drawn>();

  // Calls visit(token, mass) for a thread's run, in order.
  const auto each = [&](std::int64_t first, auto visit) {
    for (int k = 0; k < kUnits; ++k) {
      const std::int64_t unit = first / Block::kSize + k, left = v.vocab - unit * Block::kSize;
      if (left <= 0) break;
      Block block;
      if (left >= Block::kSize) {
        block.load(logits, unit);
      } else {
        block.load_part(logits + unit * Block::kSize, left);
      }
      for (int i = 0; i < Block::kSize; ++i) {
        const std::int64_t token = first + k * Block::kSize + i;
        const bool kept = key_of(block[i]) >= row.least_key && token != but;
        visit(token, kept ? mass_of(block[i], row.half_max, row.scale) : 0.0f);
      }
    }
  };

  // Where rounding leaves no token: the last one with mass.
  std::int64_t last = -1;
  double before = 0;
  bool found = false;
  unsigned turn = 0;
  for (std::int64_t tile = 0; tile < v.vocab && !found; tile += std::int64_t{kRun} * kDrawThreads) {
    const std::int64_t first = tile + std::int64_t{kRun} * threadIdx.x;
    float sum = 0;
    each(first, [&](std::int64_t token, float mass) {
      sum += mass;
      if (mass > 0) last = token;
    });
    float inclusive = sum;
    for (unsigned step = 1; step < kWarp; step *= 2) {
      const float left = __shfl_up_sync(kAllLanes, inclusive, step);
      if (lane >= step) inclusive += left;
    }
    // Two buffers in turn: when one is written again, all threads have met since it was read.
    auto& of_warp = masses.of[turn];
    turn ^= 1;
    if (lane == kWarp - 1) of_warp[warp] = inclusive;
    __syncthreads();
    unsigned w = 0;
    for (; w < kDrawThreads / kWarp; ++w) {
      const double after = before + static_cast<double>(of_warp[w]);
      found = after > target;
      if (found) break;
      before = after;
    }
    if (!found || w != warp) continue;
    // Of the lanes with mass, the first that passes the target, or else the last: what rounding
    // does between sums in different orders moves a draw by no more than itself.
    const unsigned heavy = __ballot_sync(kAllLanes, sum > 0);
    const unsigned past =
        __ballot_sync(kAllLanes, sum > 0 && before + static_cast<double>(inclusive) > target);
    const unsigned taker = past != 0 ? static_cast<unsigned>(__ffs(static_cast<int>(past)) - 1)
                                     : 31u - static_cast<unsigned>(__clz(static_cast<int>(heavy)));
    if (lane != taker) continue;
    double cumulative = before + static_cast<double>(inclusive) - static_cast<double>(sum);
    bool passed = false;
    each(first, [&](std::int64_t token, float mass) {
      if (!(mass > 0) || passed) return;
      cumulative += static_cast<double>(mass);
      passed = cumulative > target;
      drawn.token = token;
    });
  }
  if (!found) return join_block<kDrawThreads>(static_cast<long long>(last), Max());
  __syncthreads();
  return drawn.token;
}

// The first of the most probable tokens of a row. To be called by all.
template <class Type>
__device__ std::int64_t most_probable(const Verification& v, std::int64_t b, std::int64_t r,
                                      const Row& row) {
  const auto* logits =
      static_cast<const typename Type::Bits*>(v.logits) + (b * v.n + r) * v.logits_row;
  long long token = v.vocab;
  for (std::int64_t i = threadIdx.x; i < v.vocab && token == v.vocab; i += kDrawThreads) {
    if (0.5f * Type::widen(__ldg(logits + i)) >= row.half_max) token = i;
  }
  return -join_block<kDrawThreads>(-token, Max());
}

template <class Type, bool kVectors>
__global__ void __launch_bounds__(kDrawThreads) draw_kernel(const Verification v) {
  for (std::int64_t i = blockIdx.x; i < v.count; i += gridDim.x) {
    const std::int64_t b = v.first + i;
    // A row's verdict holds whatever the others': the chain stops at the first that does not
    // accept, and the last row never does.
    int stop = static_cast<int>(v.n - 1);
    for (int r = static_cast<int>(threadIdx.x); r < stop; r += static_cast<int>(kDrawThreads)) {
      if (v.rows[i * v.n + r].verdict != Verdict::kAccepted) stop = r;
    }
    stop = -join_block<kDrawThreads>(-stop, Max());
    const Row row = v.rows[i * v.n + stop];
    const bool bad = row.verdict == Verdict::kBadDistribution;
    const float coin = v.final_coins[b];
    const bool bad_coin = row.verdict == Verdict::kCoinOutOfRange || !is_coin(coin);
    std::int64_t token = -1;
    if (!bad && !bad_coin) {
      const bool rejected = row.verdict == Verdict::kRejected;
      const std::int64_t but =
          rejected ? v.candidates[b * v.candidates_row + (stop + 1) * v.candidates_column] : -1;
      token = row.mass > 0 ? draw<Type, kVectors>(v, b, stop, row, but, coin) : -1;
      if (token < 0) token = most_probable<Type>(v, b, stop, row);
    }
    if (threadIdx.x == 0) {
      const auto request = static_cast<std::uint64_t>(b);
      if (bad) {
        record_fault(v.fault, request, FaultCode::kBadDistribution);
      } else if (row.verdict == Verdict::kTokenOutOfRange) {
        record_fault(v.fault, request, FaultCode::kTokenOutOfRange);
      } else if (bad_coin) {
        record_fault(v.fault, request, FaultCode::kCoinOutOfRange);
      }
      v.accept_len[b] = stop;
      v.bonus[b] = token;
    }
    __syncthreads();  // what is shared has been read
  }
}

}  // namespace prelaunch::dflash_sampling
