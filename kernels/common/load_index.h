// Integers that a kernel reads: int32 or int64, whichever the caller has. For kernel.cu only.
#pragma once

#include <cstdint>

#include "kernels/common/launch.h"
#include "kernels/common/tensor_view.h"

namespace prelaunch {

// A tensor of int32 or int64 as a kernel parameter. One branch, the same for all threads: cheaper
// than a kernel per type.
struct IndexSource {
  const void* data;
  bool wide;

  __device__ __forceinline__ std::int64_t operator[](std::int64_t element) const {
    return wide ? static_cast<const std::int64_t*>(data)[element]
                : std::int64_t{static_cast<const std::int32_t*>(data)[element]};
  }
};

inline IndexSource index_source(const TensorView& view) {
  return {reinterpret_cast<const void*>(view.address), view.dtype.bits == 64};
}

}  // namespace prelaunch
