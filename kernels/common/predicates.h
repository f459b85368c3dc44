// The vocabulary of rules. Every predicate takes views whose well-formed rules have held.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>

#include "kernels/common/overlap.h"
#include "kernels/common/tensor_view.h"

namespace prelaunch {

constexpr bool same_shape(const TensorView& a, const TensorView& b) {
  // Comparing the arrays would be a call of memcmp.
  if (a.rank != b.rank) return false;
  for (std::int32_t d = 0; d < a.rank; ++d) {
    const auto i = static_cast<std::size_t>(d);
    if (a.shape[i] != b.shape[i]) return false;
  }
  return true;
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

// dim == factor * part, all of them non-negative but the factor; the product need not fit.
constexpr bool is_product(std::int64_t dim, std::int64_t factor, std::int64_t part) {
  std::int64_t product = 0;
  return factor > 0 && !__builtin_mul_overflow(factor, part, &product) && product == dim;
}

// True when a tensor of `shape` with `unit` bytes for each element is well-formed in size: the
// product of max(dim, 1) and the unit fits int64. Dimensions are non-negative.
template <std::size_t kRank>
constexpr bool tensor_fits(std::int64_t unit, const std::int64_t (&shape)[kRank]) {
  // A loop over so few would stay one, through memory.
  return [&]<std::size_t... kDim>(std::index_sequence<kDim...>) {
    return !((shape[kDim] > 1 && __builtin_mul_overflow(unit, shape[kDim], &unit)) || ...);
  }(std::make_index_sequence<kRank>());
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
