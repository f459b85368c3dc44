// Absent outputs: allocated by the op on the launch's stream, after acceptance.
#pragma once

#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

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

// The outputs that a launch allocates because the call left them absent. Until they are handed over
// they are given back when this goes, so that a failed launch leaves nothing allocated.
class OwnOutputs {
 public:
  explicit OwnOutputs(Stream stream) : stream_(stream) {}
  ~OwnOutputs() {
    for (std::size_t i = 0; i < count_; ++i) {
      // The launch's error is the one to report; a failed release has nothing to add.
      if (const std::uintptr_t data = std::exchange(*own_[i], {}).address; data != 0) {
        static_cast<void>(door::release(reinterpret_cast<void*>(data), stream_));
      }
    }
  }
  OwnOutputs(const OwnOutputs&) = delete;
  OwnOutputs& operator=(const OwnOutputs&) = delete;

  // Does nothing for an output that the call gave. `out` must outlive this.
  [[nodiscard]] Status provide(std::string_view op, Dtype dtype, Device device,
                               std::initializer_list<std::int64_t> shape, TensorView& out) {
    if (out.given) return {};
    Status status = allocate_output(op, dtype, device, shape, stream_, out);
    if (status.ok()) own_[count_++] = &out;
    return status;
  }
  void hand_over() { count_ = 0; }

 private:
  static constexpr std::size_t kMost = 2;
  std::array<TensorView*, kMost> own_{};
  std::size_t count_ = 0;
  Stream stream_;
};

}  // namespace prelaunch
