// Two kernels. The first has one block a row of logits, reached or not: rows do not wait for each
// other, and the logits are most of what there is to read. It reads a row once for its maximum and
// its mass, more often (out of L2) where top_k or top_p look for a cut-off, and leaves a verdict.
// The second has one block a request: it finds the row where the chain of verdicts stops and draws
// the bonus token from it, reading that row once more.
//
// Sums of masses are taken in an order that only the shape decides, so a call gives the same answer
// on every run. Cut-offs are values of logits, found digit by digit; masses of equal tokens are
// equal, so nothing depends on which of them came first.
#include <algorithm>
#include <type_traits>

#include "kernels/common/launch.h"
#include "kernels/common/load_index.h"
#include "kernels/common/outputs.h"
#include "kernels/common/record_fault.h"
#include "kernels/dflash_sampling/dflash_sampling.h"

namespace prelaunch::dflash_sampling {
namespace {

constexpr unsigned kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;
constexpr unsigned kRowThreads = door::threads(512), kDrawThreads = door::threads(1024);

// What the first kernel tells the second of a row.
enum class Verdict : std::uint32_t {
  kAccepted,
  kRejected,
  kTokenOutOfRange,
  kCoinOutOfRange,
  kBadDistribution,
  kLast,  // there is no draft after it
};
struct Row {
  // Kept mass without the draft after the row, in units of the most probable token's.
  float mass;
  // What mass_of() takes.
  float half_max, scale;
  // Kept are the logits with at least this key.
  std::uint32_t least_key;
  Verdict verdict;
};

// One request's parameters, by its stride in elements.
template <class T>
struct PerRequest {
  const T* data;
  std::int64_t stride;
  __device__ T operator[](std::int64_t b) const { return data[b * stride]; }
};

struct Verification {
  // The chunk's first request, and how many it has.
  std::int64_t first, count;
  std::int64_t n, vocab;
  const void* logits;
  std::int64_t logits_row;
  IndexSource candidates, top_ks;
  std::int64_t candidates_row, candidates_column, coins_row, coins_column, top_ks_stride;
  PerRequest<float> temperatures, top_ps, final_coins;
  const float* coins;
  float threshold_single, threshold_acc;
  Row* rows;  // count * n
  std::int32_t* accept_len;
  std::int64_t* bonus;
  unsigned long long* fault;
};

// --- logits -------------------------------------------------------------------------------------

// How each dtype is read. kDigits: how many leading hexadecimal digits of a key tell its values
// apart; a half has ten bits of mantissa behind an exponent of eight, once it is an f32.
struct Float32 {
  using Bits = std::uint32_t;
  static constexpr int kDigits = 8;
  static __device__ __forceinline__ float widen(Bits bits) { return __uint_as_float(bits); }
};
struct Bfloat16 {
  using Bits = std::uint16_t;
  static constexpr int kDigits = 4;
  static __device__ __forceinline__ float widen(Bits bits) {
    return __uint_as_float(static_cast<std::uint32_t>(bits) << 16);
  }
};
struct Float16 {
  using Bits = std::uint16_t;
  static constexpr int kDigits = 5;
  static __device__ __forceinline__ float widen(Bits bits) {
    return __half2float(__ushort_as_half(bits));
  }
};

constexpr float kMinusInfinity = -__builtin_inff();

// kSize consecutive logits as they lie in memory: one 16-byte vector, or one element.
template <class Type, bool kVectors>
struct Unit {
  static constexpr int kSize = kVectors ? static_cast<int>(16 / sizeof(typename Type::Bits)) : 1;
  static constexpr int kWords = kVectors ? 4 : 1;
  std::uint32_t words[kWords];

  // Unit number `unit` of a row that holds all of it.
  __device__ __forceinline__ void load(const typename Type::Bits* row, std::int64_t unit) {
    if constexpr (kVectors) {
      const uint4 raw = __ldg(reinterpret_cast<const uint4*>(row) + unit);
      words[0] = raw.x, words[1] = raw.y, words[2] = raw.z, words[3] = raw.w;
    } else {
      words[0] = __ldg(row + unit);
    }
  }
  // The first `count` elements at `from`; the others are -inf, which has no mass.
  __device__ void load_part(const typename Type::Bits* from, std::int64_t count) {
    constexpr unsigned kBits = 8 * sizeof(typename Type::Bits);
    for (int w = 0; w < kWords; ++w) words[w] = nothing();
    for (int i = 0; i < kSize; ++i) {
      if (i >= count) continue;
      const std::uint32_t bits = __ldg(from + i);
      if constexpr (kBits == 32) {
        words[i] = bits;
      } else {
        const unsigned shift = kBits * static_cast<unsigned>(i % 2);
        words[i / 2] = (words[i / 2] & ~(0xffffu << shift)) | bits << shift;
      }
    }
  }
  __device__ __forceinline__ float operator[](int i) const {
    if constexpr (sizeof(typename Type::Bits) == 4) {
      return Type::widen(words[i]);
    } else {
      const std::uint32_t word = words[i / 2];
      return Type::widen(
          static_cast<typename Type::Bits>(i % 2 == 0 ? word & 0xffffu : word >> 16));
    }
  }

 private:
  // -inf, as often as it fits.
  static __device__ std::uint32_t nothing() {
    if constexpr (std::is_same_v<Type, Float32>) return 0xff800000u;
    return std::is_same_v<Type, Bfloat16> ? 0xff80ff80u : 0xfc00fc00u;
  }
};

// Orders logits as unsigned integers; -0 and 0 are one.
__device__ __forceinline__ std::uint32_t key_of(float logit) {
  const std::uint32_t bits = __float_as_uint(logit + 0.0f);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

// exp((logit - max) / T). Halves are subtracted, because whole ones may be further apart than an
// f32 reaches; `scale` is 2 log2(e) / T. Below 2^-126 there is no mass.
__device__ __forceinline__ float mass_of(float logit, float half_max, float scale) {
  const float exponent = __fmaf_rn(logit, 0.5f, -half_max) * scale;
  return exponent >= -126.0f ? exp2f(exponent) : 0.0f;
}
// Rounded once: its error is every mass's, times their distance. One step of Newton's doubles the
// digits of an f32's reciprocal; a division would be a call.
__device__ __forceinline__ float scale_of(float temperature) {
  const auto t = static_cast<double>(temperature);
  const auto reciprocal = static_cast<double>(__frcp_rn(temperature));
  return static_cast<float>(2.8853900817779268 * (reciprocal * (2.0 - t * reciprocal)));
}

// False for a NaN.
__device__ __forceinline__ bool is_coin(float coin) { return coin >= 0.0f && coin < 1.0f; }

// --- blocks -------------------------------------------------------------------------------------

template <unsigned kThreads, class T>
struct Gathered {
  T of_warp[kThreads / kWarp];
};

// `join` of all threads' values, on all threads, in an order of its own. To be called by all.
template <unsigned kThreads, class T, class Join>
__device__ __forceinline__ T join_block(T value, Join join) {
  for (int step = kWarp / 2; step > 0; step /= 2) {
    value = join(value, __shfl_xor_sync(kAllLanes, value, step));
  }
  auto& gathered = shared<Gathered<kThreads, T>>();
  __syncthreads();  // what was gathered before has been read
  if (threadIdx.x % kWarp == 0) gathered.of_warp[threadIdx.x / kWarp] = value;
  __syncthreads();
  value = gathered.of_warp[0];
  for (unsigned w = 1; w < kThreads / kWarp; ++w) value = join(value, gathered.of_warp[w]);
  return value;
}
struct Add {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Max {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};

// --- the first kernel ---------------------------------------------------------------------------

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
constexpr double kSlack = 0x1p-16;

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

// --- the second kernel --------------------------------------------------------------------------

// Consecutive tokens of a thread; a block takes kDrawThreads as many at a time.
constexpr int kRun = 16;

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

// --- launches -----------------------------------------------------------------------------------

// The stride of a dimension of size 1 means nothing and may be anything.
std::int64_t stride_of(const TensorView& t, std::size_t d) {
  return t.shape[d] > 1 ? t.strides[d] : 0;
}
PerRequest<float> per_request(const TensorView& t) {
  if (!t.given) return {nullptr, 0};
  return {reinterpret_cast<const float*>(t.address), stride_of(t, 0)};
}

// Rows that share one scratch: what bounds it. Few when emulated, so that batches are split there
// too.
constexpr std::int64_t kChunkRows =
#if defined(PRELAUNCH_EMULATED)
    8;
#else
    std::int64_t{1} << 20;
#endif
constexpr std::int64_t kMaxBlocks = (std::int64_t{1} << 31) - 1;

template <class Type, bool kVectors>
Status launch_as(const Args& a, Verification v, const door::Scratch& scratch, std::int64_t chunk,
                 Stream stream) {
  const std::int64_t bs = a.candidates.shape[0];
  for (v.first = 0; v.first < bs; v.first += v.count) {
    v.count = std::min(chunk, bs - v.first);
    const std::int64_t rows = std::min(v.count * v.n, kMaxBlocks);
    const door::Grid judge{.blocks = dim3(static_cast<unsigned>(rows)),
                           .threads = dim3(kRowThreads),
                           .scratch = &scratch};
    Status status =
        door::launch<Op>(a, a.candidates.device, judge, stream, judge_kernel<Type, kVectors>, v);
    if (!status.ok()) return status;
    const door::Grid draw{.blocks = dim3(static_cast<unsigned>(std::min(v.count, kMaxBlocks))),
                          .threads = dim3(kDrawThreads),
                          .scratch = &scratch};
    status = door::launch<Op>(a, a.candidates.device, draw, stream, draw_kernel<Type, kVectors>, v);
    if (!status.ok()) return status;
  }
  return {};
}

template <class Type>
Status launch_type(const Args& a, const Verification& v, const door::Scratch& scratch,
                   std::int64_t chunk, Stream stream) {
  const std::uint64_t row_bytes =
      static_cast<std::uint64_t>(stride_of(a.next_token_logits, 0)) * sizeof(typename Type::Bits);
  return ((a.next_token_logits.address | row_bytes) & 15u) == 0
             ? launch_as<Type, true>(a, v, scratch, chunk, stream)
             : launch_as<Type, false>(a, v, scratch, chunk, stream);
}

Status launch_verification(const Args& a, Stream stream) {
  const std::int64_t n = a.candidates.shape[1];
  const std::int64_t chunk =
      std::min(std::max(kChunkRows / n, std::int64_t{1}), a.candidates.shape[0]);
  door::Scratch scratch;
  Status status =
      scratch.allocate(Op::kName, chunk * n * static_cast<std::int64_t>(sizeof(Row)), stream);
  if (!status.ok()) return status;
  const Verification v{
      .first = 0,
      .count = 0,
      .n = n,
      .vocab = a.next_token_logits.shape[1],
      .logits = reinterpret_cast<const void*>(a.next_token_logits.address),
      .logits_row = stride_of(a.next_token_logits, 0),
      .candidates = index_source(a.candidates),
      .top_ks = a.top_ks.given ? index_source(a.top_ks) : IndexSource{nullptr, false},
      .candidates_row = stride_of(a.candidates, 0),
      .candidates_column = stride_of(a.candidates, 1),
      .coins_row = stride_of(a.uniform_samples, 0),
      .coins_column = stride_of(a.uniform_samples, 1),
      .top_ks_stride = a.top_ks.given ? stride_of(a.top_ks, 0) : 0,
      .temperatures = per_request(a.temperatures),
      .top_ps = per_request(a.top_ps),
      .final_coins = per_request(a.uniform_samples_for_final_sampling),
      .coins = reinterpret_cast<const float*>(a.uniform_samples.address),
      .threshold_single = a.threshold_single,
      .threshold_acc = std::max(a.threshold_acc, 1e-9f),
      .rows = static_cast<Row*>(scratch.data()),
      .accept_len = reinterpret_cast<std::int32_t*>(a.accept_len.address),
      .bonus = reinterpret_cast<std::int64_t*>(a.bonus.address),
      .fault = a.fault.given ? reinterpret_cast<unsigned long long*>(a.fault.address) : nullptr};
  const Dtype dtype = a.next_token_logits.dtype;
  return dtype == kFloat32    ? launch_type<Float32>(a, v, scratch, chunk, stream)
         : dtype == kBfloat16 ? launch_type<Bfloat16>(a, v, scratch, chunk, stream)
                              : launch_type<Float16>(a, v, scratch, chunk, stream);
}

}  // namespace

Launched<Args> launch(const Accepted<Op>& call, Stream stream) {
  Launched<Args> result{{}, call.args()};
  Args& a = result.args;
  const Device device = a.candidates.device;
  const std::int64_t bs = a.candidates.shape[0];
  const door::DeviceGuard guard(device.index);
  OwnOutputs own(stream);
  result.status = own.provide(Op::kName, kInt32, device, {bs}, a.accept_len);
  if (result.status.ok()) result.status = own.provide(Op::kName, kInt64, device, {bs}, a.bonus);
  if (result.status.ok()) result.status = launch_verification(a, stream);
  if (result.status.ok()) own.hand_over();
  return result;
}

}  // namespace prelaunch::dflash_sampling
