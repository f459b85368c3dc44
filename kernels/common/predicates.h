// The vocabulary of rules. Every predicate takes views whose well-formed rules have held.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "kernels/common/overlap.h"
#include "kernels/common/tensor_view.h"

namespace prelaunch {

constexpr bool same_shape(const TensorView& a, const TensorView& b) {
  // Entries past the rank are 0, so all are compared: without a branch each, and without the call
  // of memcmp that comparing the arrays would be.
  std::int64_t difference = a.rank ^ b.rank;
  for (std::size_t d = 0; d < kMaxRank; ++d) difference |= a.shape[d] ^ b.shape[d];
  return difference == 0;
}

constexpr bool has_shape(const TensorView& view, std::initializer_list<std::int64_t> shape) {
  if (view.rank != static_cast<std::int32_t>(shape.size())) return false;
  std::size_t i = 0;
  for (const std::int64_t dim : shape) {
    if (view.shape[i++] != dim) return false;
  }
  return true;
}

constexpr bool on_cuda(const TensorView& view) { return is_cuda(view.device); }
constexpr bool contiguous(const TensorView& view) { return view.contiguous; }
constexpr bool inner_contiguous(const TensorView& view) { return view.inner_contiguous; }

constexpr bool same_device_dtype(const TensorView& a, const TensorView& b) {
  return a.device == b.device && a.dtype == b.dtype;
}

// dim == factor * part without computing the product, which may not fit.
constexpr bool is_product(std::int64_t dim, std::int64_t factor, std::int64_t part) {
  return factor > 0 && dim % factor == 0 && dim / factor == part;
}

// True when a tensor of `shape` with `unit` bytes for each element is well-formed in size: the
// product of max(dim, 1) and the unit fits int64. Dimensions are non-negative.
constexpr bool tensor_fits(std::int64_t unit, std::initializer_list<std::int64_t> shape) {
  bool overflow = false;
  for (const std::int64_t dim : shape) {
    if (dim > 1) overflow |= __builtin_mul_overflow(unit, dim, &unit);
  }
  return !overflow;
}

// Absent views are disjoint from everything: they have no elements.
inline bool disjoint(const TensorView& a, const TensorView& b) {
  return overlap(a, b) == Overlap::kDisjoint;
}

// The first of `views` that does not satisfy `holds`, or null: how a rule over a group says whom it
// blames. A view that was not given has no elements and its own rule.
template <class Predicate, class... Views>
constexpr const TensorView* first_not(Predicate holds, const Views&... views) {
  const TensorView* found = nullptr;
  static_cast<void>(((holds(views) || (found = &views, false)) && ...));
  return found;
}

}  // namespace prelaunch
