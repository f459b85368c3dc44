#include "fuzz/vary.h"

#include <limits>

namespace prelaunch::fuzz {

void nullify_compact_strides(TensorSpec& t) {
  std::int64_t stride = 1;
  for (auto d = static_cast<std::size_t>(t.rank); d-- > 0;) {
    if (t.shape[d] > 1 && t.strides[d] != stride) return;
    stride *= t.shape[d] > 1 ? t.shape[d] : 1;
  }
  t.null_strides = true;
  t.strides = {};
}

void put_odd_numbers(Fill& fill, Choices& choose) {
  static constexpr double kNumbers[] = {-1,
                                        0,
                                        1,
                                        -0.0,
                                        0x1p31,
                                        0x1p62,
                                        -0x1p62,
                                        1 - 0x1p-24,
                                        0x1p-127,
                                        1e30,
                                        -1e30,
                                        std::numeric_limits<double>::quiet_NaN(),
                                        std::numeric_limits<double>::infinity(),
                                        -std::numeric_limits<double>::infinity()};
  if (choose.one_in(4)) {
    fill.kind = choose.one_in(2) ? Fill::Kind::kBytes : Fill::Kind::kNumber;
    if (fill.kind == Fill::Kind::kNumber) fill.number = choose.of(kNumbers);
  } else {
    const auto element = static_cast<std::int64_t>(choose.below(choose.one_in(2) ? 4 : 256));
    fill.at[0] = {element, choose.of(kNumbers)};
    fill.count = 1;
  }
}

void vary(std::span<const FieldInfo> fields, Call& call, Choices& choose) {
  call.current_device = static_cast<std::int32_t>(choose.below(2));
  call.fill = static_cast<std::uint32_t>(choose.below(256));
  const auto index = static_cast<std::int32_t>(choose.below(2));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    TensorSpec& t = call.values[i].tensor;
    if (fields[i].type != FieldType::kTensor) continue;
    if (is_cuda(t.device)) t.device.index = index;
    if (choose.one_in(4)) nullify_compact_strides(t);
    if (choose.one_in(16)) put_odd_numbers(t.fill, choose);
  }
}

}  // namespace prelaunch::fuzz
