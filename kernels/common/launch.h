// The launching half of the door, for kernel.cu only. One source, two backends: nvcc compiles it
// for the CUDA runtime; the host compiler, with PRELAUNCH_EMULATED, for the emulator.
//
//   template <class Unit>
//   __global__ void copy_kernel(const Unit* from, Unit* to, std::int64_t count);
//   ...
//   const door::Grid grid{.blocks = {blocks}, .threads = {door::threads(128)}};
//   Status status = door::launch<Op>(args, device, grid, stream, copy_kernel<uint4>, from, to, n);
//
// A kernel may use: threadIdx and its kin, __syncthreads, __syncwarp, warp shuffles and votes with
// masks, atomics, vector loads, shared<T>(), dynamic_shared<T>(), and the f16/bf16 conversions of
// cuda_fp16.h and cuda_bf16.h. A kernel never waits for another block. Anything in PTX sits behind
// a wrapper that the emulator has too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/door.h"
#include "kernels/common/field.h"
#include "kernels/common/tensor_view.h"

#if defined(PRELAUNCH_EMULATED)
#include "kernels/emulator/cuda.h"
#include "kernels/emulator/grid.h"
#include "kernels/emulator/memory.h"
#else
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#endif

namespace prelaunch {

#if !defined(PRELAUNCH_EMULATED)
// One object of type T in the block's static shared memory; one per type, so give each its own
// struct.
template <class T>
__device__ T& shared() {
  __shared__ T object;
  return object;
}

// The block's dynamic shared memory, Grid::shared_bytes long.
template <class T>
__device__ T* dynamic_shared() {
  extern __shared__ uint4 prelaunch_dynamic_shared[];
  return reinterpret_cast<T*>(prelaunch_dynamic_shared);
}
#endif

// The stride of dimension `d` in elements, for a kernel's arithmetic: that of a dimension of size 1
// means nothing and may be anything.
inline std::int64_t stride_of(const TensorView& t, std::size_t d) {
  return t.shape[d] > 1 ? t.strides[d] : 0;
}

namespace door {

// Device memory of a launch that is nobody's argument: allocated on the stream of the current
// device, given back on it when this goes, whether or not the kernels that use it have run.
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    if (data_ != nullptr) static_cast<void>(release(data_, stream_));
  }
  // Once at most. Nothing is allocated for 0 bytes.
  [[nodiscard]] Status allocate(std::string_view op, std::int64_t bytes, Stream stream) {
    stream_ = stream;
    bytes_ = bytes;
    return bytes > 0 ? door::allocate(op, bytes, stream, &data_) : Status();
  }
  void* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::int64_t bytes_ = 0;
  Stream stream_ = nullptr;
};

struct Grid {
  dim3 blocks{1};
  dim3 threads{1};
  std::size_t shared_bytes = 0;
  // What the kernel may touch beside the arguments.
  const Scratch* scratch = nullptr;
};

// The block size to use where the GPU wants `wanted` threads (a multiple of 32): the emulator runs
// one warp instead, because a block costs it time by the thread. Kernels must be right for any.
constexpr unsigned threads(unsigned wanted) {
#if defined(PRELAUNCH_EMULATED)
  return wanted < 32 ? wanted : 32;
#else
  return wanted;
#endif
}

#if defined(PRELAUNCH_EMULATED)
// While the kernel runs, nothing is addressable on the emulated devices but what the tensors of
// `args` on `device` describe, and the scratch.
template <class Op, class... Parameter, class... Argument>
[[nodiscard]] Status launch(const typename Op::Args& args, Device device, const Grid& grid, Stream,
                            void (*kernel)(Parameter...), Argument... argument) {
  emulator::Regions regions;
  for_each_tensor<Op>(args,
                      [&](const auto&, const TensorView& view) { regions.add(view, device); });
  if (grid.scratch != nullptr && grid.scratch->bytes() > 0) {
    regions.add(grid.scratch->data(), static_cast<std::size_t>(grid.scratch->bytes()), device);
  }
  return emulator::run(Op::kName, {grid.blocks, grid.threads, grid.shared_bytes}, regions,
                       [&] { kernel(static_cast<Parameter>(argument)...); });
}
#else
[[nodiscard]] Status launch_kernel(std::string_view op, const Grid& grid, Stream stream,
                                   const void* kernel, void** parameters);

// The device must be current (DeviceGuard) and own `stream`. Returns the launch's own error.
template <class Op, class... Parameter, class... Argument>
[[nodiscard]] Status launch(const typename Op::Args&, Device, const Grid& grid, Stream stream,
                            void (*kernel)(Parameter...), Argument... argument) {
  return [&](Parameter... parameter) {
    void* parameters[] = {const_cast<void*>(static_cast<const void*>(&parameter))...};
    return launch_kernel(Op::kName, grid, stream, reinterpret_cast<const void*>(kernel),
                         parameters);
  }(static_cast<Parameter>(argument)...);
}
#endif

}  // namespace door
}  // namespace prelaunch
