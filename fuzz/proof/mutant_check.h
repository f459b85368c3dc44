// What stands in for kernels/common/check.h where mutants are planted: with a deletion or a swap
// active, the table is walked in its changed form; otherwise the fold that ships is asked.
#pragma once

#include "fuzz/proof/planted.h"
#include "kernels/common/contract.h"

namespace prelaunch {

namespace planted {

// Which rule stands at place `i` of the changed table; the number of rules for none.
template <class Op>
std::size_t rule_at(std::size_t i) {
  if (is(Kind::kDeletion, i)) return kRules<Op>.size();
  if (is(Kind::kSwap, i)) return i + 1;
  return i > 0 && is(Kind::kSwap, i - 1) ? i - 1 : i;
}

template <class Op>
std::size_t first_broken_of_changed(const typename Op::Args& args, std::size_t skipped) {
  for (std::size_t i = 0; i < kRules<Op>.size(); ++i) {
    const std::size_t rule = rule_at<Op>(i);
    if (rule < kRules<Op>.size() && rule != skipped && kRules<Op>[rule].broken_by(args)) {
      return rule;
    }
  }
  return kNoRule;
}

}  // namespace planted

template <class Op>
Check<Op> check(const typename Op::Args& args) {
  const bool changed = planted::active.kind == planted::Kind::kDeletion ||
                       planted::active.kind == planted::Kind::kSwap;
  return Check<Op>(
      args, changed ? planted::first_broken_of_changed<Op>(args, kNoRule) : first_broken<Op>(args));
}

template <class Op>
Check<Op> check_without(const typename Op::Args& args, std::size_t skipped) {
  return Check<Op>(args, planted::first_broken_of_changed<Op>(args, skipped));
}

}  // namespace prelaunch
