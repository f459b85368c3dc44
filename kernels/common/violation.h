// Edits that make a valid call break one rule: an op's cases.h lists them for its own rules; those
// for the well-formed rules follow from the field list (kernels/common/sole_violation.h).
#pragma once

#include <string_view>

#include "kernels/common/call.h"
#include "kernels/common/choices.h"

namespace prelaunch {

struct Violation {
  // Id in the op's table, `<argument>.<property>`: the rule that must fire first.
  std::string_view rule;
  // Edits a valid call; returns false, with the call untouched, where the edit does not apply.
  bool (*edit)(Call& call, Choices& choose);
};

inline bool is_empty(const TensorSpec& t) {
  for (std::int32_t d = 0; d < t.rank; ++d) {
    if (t.shape[static_cast<std::size_t>(d)] == 0) return true;
  }
  return false;
}

inline bool drop_last_dim(TensorSpec& t) {
  if (t.rank < 1 || t.rank > kMaxRank) return false;
  const auto last = static_cast<std::size_t>(--t.rank);
  t.shape[last] = t.strides[last] = 0;
  return true;
}

// Another code of the same width, or of a fraction of it: either leaves the data aligned, and a
// kernel that believed the short elements whole would leave the tensor.
inline bool other_dtype(TensorSpec& t, Choices& choose) {
  t.dtype.code = t.dtype.code == DtypeCode::kInt ? DtypeCode::kUInt : DtypeCode::kInt;
  if (t.dtype.bits > 8 && choose.one_in(2)) {
    t.dtype.bits = static_cast<std::uint8_t>(t.dtype.bits / (t.dtype.bits > 16 ? 4 : 2));
  }
  return true;
}

// Applies where the stride of the last dimension means something.
inline bool change_inner_stride(TensorSpec& t, std::int64_t stride) {
  if (t.rank < 1 || t.rank > kMaxRank || is_empty(t)) return false;
  const auto last = static_cast<std::size_t>(t.rank - 1);
  if (t.shape[last] <= 1 || t.null_strides) return false;
  t.strides[last] = stride;
  return true;
}

}  // namespace prelaunch
