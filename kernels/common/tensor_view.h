// A tensor argument, normalised once from its DLPack descriptor; everything after reads this form.
//
//   TensorView q = TensorView::from(dl_q, devices);   // never fails, never reads past the
//   descriptor if (q.flaw != Flaw::kNone) ...                    // the first well-formed rule that
//   q breaks
//
// Definition: the table of well-formed rules of the ops' common page; "the byte offset one past the
// last element" is counted from the first one. Arithmetic on a descriptor's numbers is checked here
// and nowhere else: a view without a flaw has an extent that fits int64 and an address range that
// does not wrap, so the rules after these may multiply what they read.
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

  // Sets every member. In place: copying a view costs as much as measuring one.
  constexpr void read(const Descriptor& descriptor, DeviceCount devices);

  // `tensor` may be null (an absent argument). Borrowed for the call only; the memory that its data
  // pointer names is neither owned nor touched.
  void read(const DLTensor* tensor, DeviceCount devices);

  // The same as a value.
  static constexpr TensorView from(const Descriptor& descriptor, DeviceCount devices);
  static TensorView from(const DLTensor* tensor, DeviceCount devices);

  constexpr std::uintptr_t end() const { return address + static_cast<std::uintptr_t>(extent); }
};

namespace detail {

// What stands for a compact stride that does not fit int64.
inline constexpr std::int64_t kTooLarge = std::numeric_limits<std::int64_t>::max();

// Sets shape, strides, elements, extent and the contiguity flags of a view whose rank is accepted,
// the entries past it apart. Returns the flaw found. Every entry is copied before that: a message
// shows what was given.
// Inlined everywhere: it is most of what normalising costs, and a caller that is not instrumented
// for coverage must not share an instrumented copy.
__attribute__((always_inline)) constexpr Flaw measure(const TensorView::Descriptor& from,
                                                      TensorView& view) {
  // Signs and differences are collected in words: as bools they are spilled, one by one.
  std::int64_t dims = 0, strides = 0, difference = 0;
  bool empty = false, overflow = false, reach_overflow = false;
  std::int64_t compact = 1, last = 0;
  const auto rank = static_cast<std::size_t>(from.rank);
  for (std::size_t i = rank; i-- > 0;) {
    const std::int64_t dim = view.shape[i] = from.shape[i];
    const std::int64_t stride = view.strides[i] = from.strides != nullptr ? from.strides[i]
                                                  : overflow              ? kTooLarge
                                                                          : compact;
    dims |= dim;
    empty |= dim <= 0;
    if (dim <= 1) continue;
    strides |= stride;
    difference |= stride ^ compact;
    std::int64_t reach = 0;
    reach_overflow |= __builtin_mul_overflow(dim - 1, stride, &reach);
    reach_overflow |= __builtin_add_overflow(last, reach, &last);
    overflow |= __builtin_mul_overflow(compact, dim, &compact);
  }
  std::int64_t bytes = 0, extent = 0;
  overflow |= __builtin_mul_overflow(compact, from.dtype.bytes(), &bytes);
  if (!empty) {  // without elements there is no last one to reach
    overflow |= reach_overflow | __builtin_add_overflow(last, std::int64_t{1}, &last);
    overflow |= __builtin_mul_overflow(last, from.dtype.bytes(), &extent);
  }
  view.elements = empty ? 0 : compact;
  view.extent = extent;
  view.contiguous = difference == 0 || empty;
  view.inner_contiguous =
      empty || rank == 0 || view.shape[rank - 1] <= 1 || view.strides[rank - 1] == 1;
  return dims < 0      ? Flaw::kShape
         : strides < 0 ? Flaw::kStrides
         : overflow    ? Flaw::kSize
                       : Flaw::kNone;
}

}  // namespace detail

__attribute__((always_inline)) constexpr void TensorView::read(const Descriptor& from,
                                                               DeviceCount devices) {
  for (std::int64_t& entry : shape) entry = 0;
  for (std::int64_t& entry : strides) entry = 0;
  extent = elements = 0;
  given = true;
  flaw = Flaw::kNone;
  contiguous = inner_contiguous = false;
  device = from.device;
  dtype = from.dtype;
  rank = from.rank;
  bool wraps = __builtin_add_overflow(from.data, from.byte_offset, &address);
  if (from.rank > 0 && from.shape == nullptr) {
    flaw = Flaw::kPresent;
    return;
  }
  if (from.rank < 0 || from.rank > kMaxRank) {
    flaw = Flaw::kRank;
    return;
  }
  const Flaw measured = detail::measure(from, *this);
  std::uintptr_t end = 0;
  wraps |= __builtin_add_overflow(address, extent, &end);
  if (!accepted_width(from.dtype)) {
    flaw = Flaw::kDtypeWidth;
  } else if (measured != Flaw::kNone) {
    flaw = measured;
  } else if (wraps) {
    flaw = Flaw::kSize;
  } else if (!exists(device, devices)) {
    flaw = Flaw::kDeviceIndex;
  } else if ((elements > 0 && from.data == 0) ||
             (address & static_cast<std::uintptr_t>(dtype.bytes() - 1)) != 0) {
    flaw = Flaw::kData;  // a width that is accepted is a power of two
  }
}

__attribute__((always_inline)) constexpr TensorView TensorView::from(const Descriptor& from,
                                                                     DeviceCount devices) {
  TensorView view;
  view.read(from, devices);
  return view;
}

}  // namespace prelaunch
