#include "kernels/common/overlap.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace prelaunch {
namespace {

using Wide = __int128;

// One unknown of the equation: coefficient * x with 0 <= x <= bound. Both are positive.
struct Term {
  std::int64_t coefficient;
  Wide bound;
};

// sum(coefficient * x) == target - s over the terms, for some 0 <= s <= slack. Equal coefficients
// are merged, so views of one layout (the usual case) need half the unknowns; terms without gaps
// between their sums (a contiguous row, the bytes of an element) become slack.
class Equation {
 public:
  explicit Equation(Wide slack) : slack_(slack) {}

  void add(std::int64_t coefficient, Wide bound) {
    if (coefficient == 0 || bound == 0) return;
    for (std::size_t i = 0; i < count_; ++i) {
      if (terms_[i].coefficient != coefficient) continue;
      terms_[i].bound += bound;
      return;
    }
    terms_[count_++] = {coefficient, bound};
  }

  Overlap solve(Wide target) {
    std::sort(terms_.data(), terms_.data() + count_,
              [](const Term& a, const Term& b) { return a.coefficient > b.coefficient; });
    for (; count_ > 0 && terms_[count_ - 1].coefficient <= slack_ + 1; --count_) {
      slack_ += terms_[count_ - 1].coefficient * terms_[count_ - 1].bound;
    }
    reach_[count_] = slack_;
    divisor_[count_] = 0;
    for (std::size_t i = count_; i-- > 0;) {
      reach_[i] = reach_[i + 1] + terms_[i].coefficient * terms_[i].bound;
      divisor_[i] = std::gcd(divisor_[i + 1], terms_[i].coefficient);
    }
    return search(0, target);
  }

 private:
  // Is `rest`, less some of the slack, a sum over the terms from `i` on? Depth first; a branch is
  // cut when the terms that are left cannot reach `rest`, or when no multiple of their greatest
  // common divisor is near enough. Two terms are decided at once.
  Overlap search(std::size_t i, Wide rest) {
    if (rest < 0 || rest > reach_[i]) return Overlap::kDisjoint;
    if (rest <= slack_) return Overlap::kShared;
    if (rest % divisor_[i] > slack_) return Overlap::kDisjoint;
    if (i == count_ - 1) return Overlap::kShared;  // near a multiple, and within reach
    const auto [coefficient, bound] = terms_[i];
    // The x for which the terms after this one can still reach the rest.
    const Wide over = rest - reach_[i + 1];
    const Wide first = over > 0 ? (over + coefficient - 1) / coefficient : 0;
    const Wide last = std::min<Wide>(bound, rest / coefficient);
    if (first > last) return Overlap::kDisjoint;
    if (i == count_ - 2) return search_two(i, rest - coefficient * last, last - first + 1);
    for (Wide x = last; x >= first; --x) {
      if (++steps_ > kOverlapSteps) return Overlap::kUndecided;
      const Overlap found = search(i + 1, rest - coefficient * x);
      if (found != Overlap::kDisjoint) return found;
    }
    return Overlap::kDisjoint;
  }

  // Is rest + coefficient_i * k, for some 0 <= k < count, at most slack above a multiple of the
  // last coefficient? Counts those k: floor(v / m) - floor((v - slack - 1) / m) is 1 for each, else
  // 0. The last term's bound needs no look: all these values are within its reach.
  Overlap search_two(std::size_t i, Wide rest, Wide count) {
    const Wide a = terms_[i].coefficient, m = terms_[i + 1].coefficient;
    const Wide near =
        floor_sum(count, m, a, rest) + count - floor_sum(count, m, a, rest + m - slack_ - 1);
    return near == 0 ? Overlap::kDisjoint : Overlap::kShared;
  }

  // sum of floor((a * k + b) / m) over 0 <= k < n, in steps like those of Euclid's algorithm. It
  // fits: extents are below 2^63, so a * n is below 2^64, b below 1.5 * 2^64, and m is at least 2.
  Wide floor_sum(Wide n, Wide m, Wide a, Wide b) {
    for (Wide sum = 0;; ++steps_) {
      sum += n * (n - 1) / 2 * (a / m) + n * (b / m);
      a %= m;
      b %= m;
      const Wide top = a * n + b;
      if (top < m) return sum;
      n = top / m;
      b = top % m;
      std::swap(a, m);
    }
  }

  // Two views of eight dimensions.
  static constexpr std::size_t kMaxTerms = 2 * kMaxRank;
  std::array<Term, kMaxTerms> terms_;
  std::array<Wide, kMaxTerms + 1> reach_;
  std::array<std::int64_t, kMaxTerms + 1> divisor_;
  Wide slack_;
  std::size_t count_ = 0;
  std::int64_t steps_ = 0;
};

// A check with a rule left out may come here with numbers that were never found to fit.
bool measured(const TensorView& view) {
  return view.flaw == Flaw::kNone || view.flaw > Flaw::kSize;
}

std::size_t rank_of(const TensorView& view) { return static_cast<std::size_t>(view.rank); }

}  // namespace

// address_a + sum(stride_a * i) + byte_a == address_b + sum(stride_b * j) + byte_b. Running j and
// byte_b backwards from their ends makes every coefficient positive.
Overlap solve_overlap(const TensorView& a, const TensorView& b) {
  if (a.elements == 0 || b.elements == 0) return Overlap::kDisjoint;
  if (!measured(a) || !measured(b)) return Overlap::kUndecided;
  Equation equation(a.dtype.bytes() + b.dtype.bytes() - 2);
  for (const TensorView* view : {&a, &b}) {
    for (std::size_t d = 0; d < rank_of(*view); ++d) {
      if (view->shape[d] > 1) {
        equation.add(view->strides[d] * view->dtype.bytes(), view->shape[d] - 1);
      }
    }
  }
  return equation.solve(Wide{b.address} + b.extent - 1 - Wide{a.address});
}

// Two elements with one address: sum(stride * difference) == 0, not all differences zero. (Strides
// are whole elements, so two elements share all their bytes or none.) By symmetry the difference of
// the first dimension in which they differ is positive; each dimension is tried as that one, those
// before it being equal. Differences of later ones run over both signs: shifted.
Overlap solve_self_overlap(const TensorView& view) {
  if (view.elements == 0) return Overlap::kDisjoint;
  if (!measured(view)) return Overlap::kUndecided;
  bool undecided = false;
  for (std::size_t lead = 0; lead < rank_of(view); ++lead) {
    if (view.shape[lead] <= 1) continue;
    Equation equation(0);
    equation.add(view.strides[lead], view.shape[lead] - 2);
    Wide target = -Wide{view.strides[lead]};
    for (std::size_t d = lead + 1; d < rank_of(view); ++d) {
      if (view.shape[d] <= 1) continue;
      const Wide bound = 2 * Wide{view.shape[d] - 1};
      equation.add(view.strides[d], bound);
      target += bound / 2 * view.strides[d];
    }
    const Overlap found = equation.solve(target);
    if (found == Overlap::kShared) return found;
    undecided |= found == Overlap::kUndecided;
  }
  return undecided ? Overlap::kUndecided : Overlap::kDisjoint;
}

}  // namespace prelaunch
