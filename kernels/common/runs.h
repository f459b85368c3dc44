// The contiguous pieces of a strided view.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/common/tensor_view.h"

namespace prelaunch {

// How a view falls into runs of `bytes` contiguous bytes each, `count` of them: trailing dimensions
// that are compact are one run.
struct Runs {
  std::int64_t bytes = 0;
  std::int64_t count = 0;
  // Dimensions before this one step from run to run.
  std::int32_t outer = 0;
};

constexpr Runs runs_of(const TensorView& view) {
  if (view.elements == 0) return {};
  std::int64_t length = 1;
  std::int32_t d = view.rank;
  for (; d > 0; --d) {
    const auto i = static_cast<std::size_t>(d - 1);
    if (view.shape[i] > 1 && view.strides[i] != length) break;
    length *= view.shape[i];
  }
  return {length * view.dtype.bytes(), view.elements / length, d};
}

// Calls visit(address) for the start of every run, in index order.
template <class Visit>
constexpr void for_each_run(const TensorView& view, Visit visit) {
  const Runs runs = runs_of(view);
  std::array<std::int64_t, kMaxRank> index{};
  std::uintptr_t address = view.address;
  for (std::int64_t n = 0; n < runs.count; ++n) {
    visit(address);
    for (auto d = static_cast<std::size_t>(runs.outer); d-- > 0;) {
      const std::int64_t step = view.strides[d] * view.dtype.bytes();
      if (++index[d] < view.shape[d]) {
        address += static_cast<std::uintptr_t>(step);
        break;
      }
      address -= static_cast<std::uintptr_t>(step * (view.shape[d] - 1));
      index[d] = 0;
    }
  }
}

}  // namespace prelaunch
