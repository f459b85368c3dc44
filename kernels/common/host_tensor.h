// Elements of a view whose memory the host may read: for references, contents and tests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/common/tensor_view.h"

namespace prelaunch {

// The first kRank dimensions, for a structured binding.
template <std::size_t kRank>
constexpr std::array<std::int64_t, kRank> dims(const TensorView& view) {
  std::array<std::int64_t, kRank> out{};
  for (std::size_t d = 0; d < kRank; ++d) out[d] = view.shape[d];
  return out;
}

// Address of an element; `index` must be inside the view's shape.
template <std::size_t kRank>
std::byte* element(const TensorView& view, const std::int64_t (&index)[kRank]) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < kRank; ++d) offset += index[d] * view.strides[d];
  return reinterpret_cast<std::byte*>(view.address) + offset * view.dtype.bytes();
}

// Address of the element that is number `flat` in row-major order; below view.elements.
std::byte* nth_element(const TensorView& view, std::int64_t flat);

// The number at `data`, of any dtype that a number fits: f16, bf16, f32, f64, bool, integers of up
// to 64 bits (rounded to double). 0 for any other dtype.
double load(const std::byte* data, Dtype dtype);
// The integer at `data`, exact; 0 for a dtype that is none. u64 wraps.
std::int64_t load_integer(const std::byte* data, Dtype dtype);
// Writes `number` rounded to f16, bf16, f32 or f64 once, or into an integer dtype: cut off towards
// zero, held to its range, NaN as 0. Any other dtype is left alone.
void store(std::byte* data, Dtype dtype, double number);

// load() of one element: value(view, {row, column}).
template <std::size_t kRank>
double value(const TensorView& view, const std::int64_t (&index)[kRank]) {
  return load(element(view, index), view.dtype);
}
template <std::size_t kRank>
std::int64_t integer(const TensorView& view, const std::int64_t (&index)[kRank]) {
  return load_integer(element(view, index), view.dtype);
}

}  // namespace prelaunch
