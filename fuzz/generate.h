// The generator: a call that is valid by construction, then at most one edit.
//
//   valid       31 of 64   as it was built: it must be accepted
//   violation   31 of 64   one rule is broken: that rule must fire. The edit of a tensor's
//                          descriptor follows from the field list and works for every op; the
//                          others stand in the op's cases.h
//   wild         2 of 64   one generic edit (fuzz/edit.h): nothing is known about the verdict
//
// The kind is the first choice: the second byte of a generated input (fuzz/codec.h). Calls further
// from good ones come from the mutator's explicit form (fuzz/mutate.h).
#pragma once

#include "fuzz/edit.h"
#include "fuzz/vary.h"
#include "kernels/common/sole_violation.h"

namespace prelaunch::fuzz {

enum class Kind : std::uint8_t { kValid, kViolation, kWild };

// One byte of choices, whatever its value, decides.
inline Kind draw_kind(Choices& choose) {
  const std::uint64_t kind = choose.below(64);
  if (kind >= 62) return Kind::kWild;
  return kind % 2 == 0 ? Kind::kValid : Kind::kViolation;
}

// Breaks one rule of a valid call. Not every edit applies to every call: after a few that do not,
// the call stays valid.
template <class Op, class Violations>
Expectation violate(Call& call, const Violations& violations, Choices& choose) {
  constexpr int kTries = 16;
  const Call good = call;
  for (int i = 0; i < kTries; ++i) {
    const std::size_t rule = break_one_rule<Op>(call, violations, choose);
    if (rule != kNoRule) return {Verdict::kReject, rule};
    call = good;
  }
  return {Verdict::kAccept, kNoRule};
}

// Draws a call of Op from `valid(choose)`.
template <class Op, class Valid, class Violations>
Expectation generate(std::span<const FieldInfo> fields, Call& call, Valid valid,
                     const Violations& violations, Choices& choose) {
  const Kind kind = draw_kind(choose);
  call = valid(choose);
  vary(fields, call, choose);
  if (kind == Kind::kViolation) return violate<Op>(call, violations, choose);
  if (kind == Kind::kWild && edit_once(fields, call, choose)) return {};
  return {Verdict::kAccept, kNoRule};
}

}  // namespace prelaunch::fuzz
