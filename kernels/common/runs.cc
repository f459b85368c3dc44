#include "kernels/common/runs.h"

#include <algorithm>

namespace prelaunch {
namespace {

// The dims with more than one element and a stride, smallest stride first.
void sort_dims(const TensorView& view, Runs& runs) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(view.rank); ++i) {
    if (view.shape[i] <= 1 || view.strides[i] == 0) continue;
    runs.dims[runs.rank++] = {view.shape[i], view.strides[i] * view.dtype.bytes()};
  }
  std::sort(runs.dims.begin(), runs.dims.begin() + static_cast<std::ptrdiff_t>(runs.rank),
            [](const Runs::Dim& a, const Runs::Dim& b) { return a.stride_bytes < b.stride_bytes; });
}

}  // namespace

Runs decompose(const TensorView& view) {
  Runs runs;
  runs.address = view.address;
  if (view.elements == 0) return runs;
  runs.run_bytes = view.dtype.bytes();
  runs.count = 1;
  sort_dims(view, runs);
  std::size_t kept = 0;
  for (std::size_t d = 0; d < runs.rank; ++d) {
    const auto [count, stride] = runs.dims[d];
    if (kept == 0 && stride <= runs.run_bytes) {  // leaves no gap
      runs.run_bytes += (count - 1) * stride;
      continue;
    }
    if (__builtin_mul_overflow(runs.count, count, &runs.count)) runs.count = Runs::kMany;
    runs.count = std::min(runs.count, Runs::kMany);
    runs.dims[kept++] = {count, stride};
  }
  runs.rank = kept;
  return runs;
}

Runs decompose(const TensorView& view, std::int64_t limit) {
  Runs runs = decompose(view);
  if (runs.count <= limit) return runs;
  runs.run_bytes = view.extent;
  runs.count = 1;
  runs.rank = 0;
  return runs;
}

}  // namespace prelaunch
