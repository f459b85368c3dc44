// Reals that a kernel reads and writes: f32, f16 or bf16, whichever the caller has. For kernel.cu
// only.
#pragma once

#include <cstdint>

#include "kernels/common/launch.h"
#include "kernels/common/tensor_view.h"

namespace prelaunch {

__device__ __forceinline__ float to_float(float value) { return value; }
__device__ __forceinline__ float to_float(__half value) { return __half2float(value); }
__device__ __forceinline__ float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }

// Rounds once, to nearest even.
template <class T>
__device__ __forceinline__ T from_float(float value);
template <>
__device__ __forceinline__ float from_float<float>(float value) {
  return value;
}
template <>
__device__ __forceinline__ __half from_float<__half>(float value) {
  return __float2half_rn(value);
}
template <>
__device__ __forceinline__ __nv_bfloat16 from_float<__nv_bfloat16>(float value) {
  return __float2bfloat16_rn(value);
}

// A tensor of f32, f16 or bf16 as a kernel parameter, for what is not worth a kernel per type: one
// branch, the same for all threads.
struct RealTensor {
  void* data;
  Dtype dtype;

  __device__ __forceinline__ float load(std::int64_t element) const {
    if (dtype.code == DtypeCode::kBfloat) {
      return to_float(static_cast<const __nv_bfloat16*>(data)[element]);
    }
    if (dtype.bits == 16) return to_float(static_cast<const __half*>(data)[element]);
    return static_cast<const float*>(data)[element];
  }
  // The first `count` of kCount numbers, `stride` elements apart, and 0 for the others; all are
  // asked for before any is used.
  template <int kCount>
  __device__ __forceinline__ void load(std::int64_t element, std::int64_t stride, int count,
                                       float (&to)[kCount]) const {
    if (dtype.code == DtypeCode::kBfloat) {
      load_as<__nv_bfloat16>(element, stride, count, to);
    } else if (dtype.bits == 16) {
      load_as<__half>(element, stride, count, to);
    } else {
      load_as<float>(element, stride, count, to);
    }
  }
  __device__ __forceinline__ void store(std::int64_t element, float value) const {
    if (dtype.code == DtypeCode::kBfloat) {
      static_cast<__nv_bfloat16*>(data)[element] = from_float<__nv_bfloat16>(value);
    } else if (dtype.bits == 16) {
      static_cast<__half*>(data)[element] = from_float<__half>(value);
    } else {
      static_cast<float*>(data)[element] = value;
    }
  }

 private:
  template <class T, int kCount>
  __device__ __forceinline__ void load_as(std::int64_t element, std::int64_t stride, int count,
                                          float (&to)[kCount]) const {
    const T* const from = static_cast<const T*>(data) + element;
    T raw[kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i) raw[i] = i < count ? from[i * stride] : from_float<T>(0);
#pragma unroll
    for (int i = 0; i < kCount; ++i) to[i] = to_float(raw[i]);
  }
};

inline RealTensor real_tensor(const TensorView& view) {
  return {reinterpret_cast<void*>(view.address), view.dtype};
}

}  // namespace prelaunch
