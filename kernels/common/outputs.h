// Absent outputs: allocated by the op on the launch's stream, after acceptance.
#pragma once

#include <initializer_list>
#include <string_view>

#include "kernels/common/door.h"
#include "kernels/common/tensor_view.h"

namespace prelaunch {

// Makes `out` a contiguous tensor of `shape` on the current device, which is `device`. The
// contract's size rule has shown that it fits. On failure `out` is left absent.
[[nodiscard]] inline Status allocate_output(std::string_view op, Dtype dtype, Device device,
                                            std::initializer_list<std::int64_t> shape,
                                            Stream stream, TensorView& out) {
  TensorView::Descriptor descriptor{.device = device, .dtype = dtype};
  descriptor.rank = static_cast<std::int32_t>(shape.size());
  descriptor.shape = shape.begin();
  // An empty tensor needs no memory, and no stand-in address either.
  std::int64_t bytes = dtype.bytes();
  for (const std::int64_t dim : shape) bytes *= dim;
  void* data = nullptr;
  if (bytes > 0) {
    if (Status status = door::allocate(op, bytes, stream, &data); !status.ok()) return status;
  }
  descriptor.data = reinterpret_cast<std::uintptr_t>(data);
  out = TensorView::from(descriptor, door::device_count());
  return {};
}

}  // namespace prelaunch
