// A tensor argument, normalised once from its DLPack descriptor; everything after reads this form.
//
//   TensorView q = TensorView::from(dl_q, devices);   // never fails, never reads past the
//   descriptor if (q.flaw != Flaw::kNone) ...                    // the first well-formed rule that
//   q breaks
//
// Definition: the table of well-formed rules of the ops' common page. Arithmetic on a descriptor's
// numbers is checked here and nowhere else: a view without a flaw has an extent that fits int64 and
// an address range that does not wrap, so the rules after these may multiply what they read.
#pragma once

#include <dlpack/dlpack.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/common/device.h"
#include "kernels/common/dtype.h"

namespace prelaunch {

inline constexpr std::int32_t kMaxRank = 8;

// The well-formed rule that a descriptor breaks first; the order is the rules' order.
enum class Flaw : std::uint8_t {
  kNone,
  kPresent,      // a rank above 0 with a null shape
  kRank,         // outside 0..8
  kDtypeWidth,   // not 8, 16, 32, 64 or 128 bits in one lane
  kShape,        // a negative dimension
  kStrides,      // a negative stride where its dimension is above 1
  kSize,         // elements, extent or end address do not fit 64 bits
  kDeviceIndex,  // negative, or no such device
  kData,         // null with elements, or not aligned to the element size
};

struct TensorView {
  // Address of the first element: data + byte_offset. A number, not a pointer: no check follows it.
  std::uintptr_t address = 0;
  // Bytes from the first element to one past the last; 0 without elements.
  std::int64_t extent = 0;
  // Product of the dimensions.
  std::int64_t elements = 0;
  Device device;
  Dtype dtype;
  std::int32_t rank = 0;
  Flaw flaw = Flaw::kNone;
  // False for a null descriptor: an absent argument. Every other member is then meaningless.
  bool given = false;
  // Both ignore strides of dimensions of size 1 and hold for a view without elements.
  bool contiguous = false;
  bool inner_contiguous = false;
  // Entries at and after `rank` are 0, and all are when the shape is null or the rank is flawed.
  // Strides are in elements; null strides have been replaced by compact row-major ones (one that
  // does not fit, in a view with Flaw::kSize, by the largest int64).
  std::array<std::int64_t, kMaxRank> shape{};
  std::array<std::int64_t, kMaxRank> strides{};

  // What a descriptor says, apart from where it says it; lets the arithmetic be constexpr.
  // `shape` holds `rank` entries when rank is in 1..8 and may be null; `strides` likewise.
  struct Descriptor {
    std::uintptr_t data = 0;
    std::uint64_t byte_offset = 0;
    Device device;
    Dtype dtype;
    std::int32_t rank = 0;
    const std::int64_t* shape = nullptr;
    const std::int64_t* strides = nullptr;
  };

  static constexpr TensorView from(const Descriptor& descriptor, DeviceCount devices);

  // `tensor` may be null (an absent argument). Borrowed for the call only; the memory that its data
  // pointer names is neither owned nor touched.
  static TensorView from(const DLTensor* tensor, DeviceCount devices);

  std::uintptr_t end() const { return address + static_cast<std::uintptr_t>(extent); }
};

namespace detail {

// What stands for a compact stride that does not fit int64.
inline constexpr std::int64_t kTooLarge = std::numeric_limits<std::int64_t>::max();

// Fills shape, strides, elements, extent and the contiguity flags of a view whose rank is accepted.
// Returns the flaw found. Every entry is copied before that: a message shows what was given.
// Inlined everywhere: it is most of what normalising costs, and a caller that is not instrumented
// for coverage must not share an instrumented copy.
__attribute__((always_inline)) constexpr Flaw measure(const TensorView::Descriptor& from,
                                                      TensorView& view) {
  bool negative_dim = false, negative_stride = false, empty = false, contiguous = true;
  bool overflow = false, reach_overflow = false;
  std::int64_t compact = 1, last = 0;
  const auto rank = static_cast<std::size_t>(view.rank);
  for (std::size_t i = rank; i-- > 0;) {
    const std::int64_t dim = view.shape[i] = from.shape[i];
    const std::int64_t stride = view.strides[i] = from.strides != nullptr ? from.strides[i]
                                                  : overflow              ? kTooLarge
                                                                          : compact;
    negative_dim |= dim < 0;
    empty |= dim == 0;
    if (i == rank - 1) view.inner_contiguous = dim <= 1 || stride == 1;
    if (dim <= 1) continue;
    negative_stride |= stride < 0;
    contiguous &= stride == compact;
    std::int64_t reach = 0;
    reach_overflow |= __builtin_mul_overflow(dim - 1, stride, &reach);
    reach_overflow |= __builtin_add_overflow(last, reach, &last);
    overflow |= __builtin_mul_overflow(compact, dim, &compact);
  }
  std::int64_t bytes = 0;
  overflow |= __builtin_mul_overflow(compact, view.dtype.bytes(), &bytes);
  view.elements = empty ? 0 : compact;
  view.contiguous = contiguous || empty;
  view.inner_contiguous |= empty || view.rank == 0;
  if (!empty) {  // without elements there is no last one to reach
    overflow |= reach_overflow | __builtin_add_overflow(last, std::int64_t{1}, &last);
    overflow |= __builtin_mul_overflow(last, view.dtype.bytes(), &view.extent);
  }
  return negative_dim      ? Flaw::kShape
         : negative_stride ? Flaw::kStrides
         : overflow        ? Flaw::kSize
                           : Flaw::kNone;
}

}  // namespace detail

__attribute__((always_inline)) constexpr TensorView TensorView::from(const Descriptor& from,
                                                                     DeviceCount devices) {
  TensorView view;
  view.given = true;
  view.device = from.device;
  view.dtype = from.dtype;
  view.rank = from.rank;
  bool wraps = __builtin_add_overflow(from.data, from.byte_offset, &view.address);
  if (from.rank > 0 && from.shape == nullptr) {
    view.flaw = Flaw::kPresent;
    return view;
  }
  if (from.rank < 0 || from.rank > kMaxRank) {
    view.flaw = Flaw::kRank;
    return view;
  }
  const Flaw measured = detail::measure(from, view);
  std::uintptr_t end = 0;
  wraps |= __builtin_add_overflow(view.address, view.extent, &end);
  if (!accepted_width(from.dtype)) {
    view.flaw = Flaw::kDtypeWidth;
  } else if (measured != Flaw::kNone) {
    view.flaw = measured;
  } else if (wraps) {
    view.flaw = Flaw::kSize;
  } else if (!exists(view.device, devices)) {
    view.flaw = Flaw::kDeviceIndex;
  } else if ((view.elements > 0 && from.data == 0) ||
             view.address % static_cast<std::uintptr_t>(view.dtype.bytes()) != 0) {
    view.flaw = Flaw::kData;
  }
  return view;
}

}  // namespace prelaunch
