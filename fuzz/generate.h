// The generator: a call that is valid by construction, then at most one edit.
//
// Half of the draws stay valid; the rest break one rule: an edit of a tensor's descriptor, which
// follows from the field list and works for every op, or one of the edits in the op's cases.h.
// Either way the verdict is known. The wild calls come from elsewhere: mutated bytes of the
// explicit form.
#pragma once

#include <limits>

#include "fuzz/op_info.h"
#include "kernels/common/sole_violation.h"

namespace prelaunch::fuzz {

// Null strides stand for compact ones.
inline void nullify_compact_strides(TensorSpec& t) {
  std::int64_t stride = 1;
  for (auto d = static_cast<std::size_t>(t.rank); d-- > 0;) {
    if (t.shape[d] > 1 && t.strides[d] != stride) return;
    stride *= t.shape[d] > 1 ? t.shape[d] : 1;
  }
  t.null_strides = true;
  t.strides = {};
}

// Numbers that somebody's guard forgets, in one element or in all.
inline void put_odd_numbers(Fill& fill, Choices& choose) {
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

// Changes that leave a valid call valid: where the caller stands, what the memory holds, the
// tensors' device, null strides.
template <class Op>
void vary(Call& call, Choices& choose) {
  call.current_device = static_cast<std::int32_t>(choose.below(2));
  call.fill = static_cast<std::uint32_t>(choose.below(256));
  const std::int32_t index = static_cast<std::int32_t>(choose.below(2));
  for (std::size_t i = 0; i < Op::kFields.size(); ++i) {
    TensorSpec& t = call.values[i].tensor;
    if (!Op::kFields[i].is_tensor()) continue;
    if (is_cuda(t.device)) t.device.index = index;
    if (choose.one_in(4)) nullify_compact_strides(t);
    if (choose.one_in(16)) put_odd_numbers(t.fill, choose);
  }
}

// Builds a valid call of `valid(choose)` and breaks at most one rule of it.
template <class Op, class Valid, class Violations>
Expectation generate(Call& call, Valid valid, const Violations& violations, Choices& choose) {
  call = valid(choose);
  vary<Op>(call, choose);
  if (choose.one_in(2)) return {Verdict::kAccept, kNoRule};
  const std::size_t rule = break_one_rule<Op>(call, violations, choose);
  if (rule != kNoRule) return {Verdict::kReject, rule};
  call = valid(choose);
  return {Verdict::kAccept, kNoRule};
}

}  // namespace prelaunch::fuzz
