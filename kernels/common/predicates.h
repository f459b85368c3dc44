// The vocabulary of rules. Every predicate takes views whose well-formed rules have held.
#pragma once

#include <algorithm>
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

// Positive `by` only: rules are also asked one by one, about calls that break those before them.
constexpr bool is_multiple(std::int64_t n, std::int64_t by) { return by > 0 && n % by == 0; }
constexpr std::int64_t quotient(std::int64_t n, std::int64_t by) {
  return n / std::max<std::int64_t>(by, 1);
}

constexpr bool on_cuda(const TensorView& view) { return is_cuda(view.device); }
constexpr bool contiguous(const TensorView& view) { return view.contiguous; }
constexpr bool inner_contiguous(const TensorView& view) { return view.inner_contiguous; }

// Without a branch: in a chain of rules they would add up.
template <class... Dtypes>
constexpr bool has_dtype(const TensorView& view, Dtypes... accepted) {
  return static_cast<bool>((static_cast<int>(view.dtype == accepted) | ...));
}

// The dtypes of an index or position, and of model data.
constexpr bool is_index(const TensorView& view) { return has_dtype(view, kInt32, kInt64); }
constexpr bool is_real(const TensorView& view) {
  return has_dtype(view, kFloat32, kFloat16, kBfloat16);
}

constexpr bool same_device_dtype(const TensorView& a, const TensorView& b) {
  return a.device == b.device && a.dtype == b.dtype;
}

// An output of one known form that may be absent: [size] of `dtype`, contiguous, beside `like`.
constexpr bool absent_or_vector(const TensorView& view, std::int64_t size, Dtype dtype,
                                const TensorView& like) {
  return !view.given || (view.rank == 1 && view.shape[0] == size && view.contiguous &&
                         view.dtype == dtype && view.device == like.device);
}

// The fault word of a guarded op: one uint64 element of rank 0 or 1 beside `like`, or absent.
constexpr bool absent_or_fault_word(const TensorView& view, const TensorView& like) {
  return !view.given || (view.rank <= 1 && view.elements == 1 && view.dtype == kUInt64 &&
                         view.device == like.device);
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
