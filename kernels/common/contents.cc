#include "kernels/common/contents.h"

namespace prelaunch {
namespace {

void store_everywhere(const TensorView& view, double number) {
  for (std::int64_t i = 0; i < view.elements; ++i) store(nth_element(view, i), view.dtype, number);
}

void store_bytes(const TensorView& view, Choices& choose) {
  for (std::int64_t i = 0; i < view.elements; ++i) {
    std::byte* data = nth_element(view, i);
    for (std::int64_t b = 0; b < view.dtype.bytes(); ++b) {
      data[b] = static_cast<std::byte>(choose.below(256));
    }
  }
}

}  // namespace

void apply_fill(const TensorView& view, const Fill& fill, Choices& choose) {
  if (fill.kind == Fill::Kind::kNumber) store_everywhere(view, fill.number);
  if (fill.kind == Fill::Kind::kBytes) store_bytes(view, choose);
  for (std::size_t i = 0; i < fill.count && i < Fill::kMaxAt; ++i) {
    const auto [element, number] = fill.at[i];
    if (element < 0 || element >= view.elements) continue;
    store(nth_element(view, element), view.dtype, number);
  }
}

}  // namespace prelaunch
