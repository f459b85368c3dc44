#include "kernels/common/call.h"

#include <algorithm>
#include <cstring>

namespace prelaunch {

TensorSpec compact(Dtype dtype, Device device, std::uint8_t buffer,
                   std::initializer_list<std::int64_t> shape) {
  TensorSpec spec{.dtype = dtype, .device = device, .buffer = buffer};
  for (const std::int64_t dim : shape) spec.shape[static_cast<std::size_t>(spec.rank++)] = dim;
  std::int64_t stride = 1;
  for (auto d = static_cast<std::size_t>(spec.rank); d-- > 0;) {
    spec.strides[d] = stride;
    // Wraps where the shape is too large: such a spec is a hostile call's.
    static_cast<void>(
        __builtin_mul_overflow(stride, std::max<std::int64_t>(spec.shape[d], 1), &stride));
  }
  return spec;
}

std::optional<std::int64_t> bytes_needed(const TensorSpec& spec) {
  const TensorView view = TensorView::from(
      TensorView::Descriptor{.data = 0,
                             .byte_offset = 0,
                             .device = kCpuDevice,
                             .dtype = spec.dtype,
                             .rank = spec.rank,
                             .shape = spec.null_shape ? nullptr : spec.shape.data(),
                             .strides = spec.null_strides ? nullptr : spec.strides.data()},
      DeviceCount{});
  // A null data pointer is the last thing looked at: the extent is known by then.
  if (view.flaw != Flaw::kNone && view.flaw != Flaw::kData) return std::nullopt;
  std::int64_t bytes = 0;
  if (__builtin_add_overflow(view.extent, spec.offset, &bytes)) return std::nullopt;
  return bytes;
}

Placement measure_buffers(const Call& call, std::uint32_t tensors) {
  Placement placement;
  for (std::size_t i = 0; i < kMaxFields; ++i) {
    const Value& value = call.values[i];
    if ((tensors >> i & 1) == 0 || value.absent || value.tensor.source != DataSource::kBuffer)
      continue;
    std::int64_t& size = placement.size[value.tensor.buffer % kMaxBuffers];
    size = std::max(size, bytes_needed(value.tensor).value_or(0));
  }
  return placement;
}

Placement place_buffers(const Call& call, std::uint32_t tensors, std::uintptr_t start) {
  constexpr std::uintptr_t kAlignment = 256;
  Placement placement = measure_buffers(call, tensors);
  start = (start + kAlignment - 1) / kAlignment * kAlignment;
  for (std::size_t i = 0; i < kMaxBuffers; ++i) {
    placement.base[i] = start;
    start += (static_cast<std::uintptr_t>(placement.size[i]) + 2 * kAlignment - 1) / kAlignment *
             kAlignment;
  }
  return placement;
}

DLTensor describe(const TensorSpec& spec, std::uintptr_t base) {
  DLTensor tensor{};
  const std::uintptr_t data = spec.source == DataSource::kBuffer    ? base
                              : spec.source == DataSource::kLiteral ? spec.literal
                                                                    : 0;
  tensor.data = reinterpret_cast<void*>(data);
  static_assert(sizeof spec.device.type == sizeof tensor.device.device_type);
  std::memcpy(&tensor.device.device_type, &spec.device.type, sizeof spec.device.type);
  tensor.device.device_id = spec.device.index;
  tensor.ndim = spec.rank;
  tensor.dtype = {static_cast<std::uint8_t>(spec.dtype.code), spec.dtype.bits, spec.dtype.lanes};
  // DLPack's C struct has no const; nothing writes through it.
  tensor.shape = spec.null_shape ? nullptr : const_cast<std::int64_t*>(spec.shape.data());
  tensor.strides = spec.null_strides ? nullptr : const_cast<std::int64_t*>(spec.strides.data());
  tensor.byte_offset = spec.offset;
  return tensor;
}

}  // namespace prelaunch
