// Elements of a view whose memory the host may read: for references and tests.
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

}  // namespace prelaunch
