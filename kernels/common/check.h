// The definitions behind contract.h's check functions; included by the generated <op>_check.cc
// only.
#pragma once

#include "kernels/common/contract.h"

namespace prelaunch {

// `flatten` here as well: g++ 12 honours it on the function that is emitted, not on those inlined.
template <class Op>
__attribute__((flatten)) Check<Op> check(const typename Op::Args& args) {
  return Check<Op>(args, first_broken<Op>(args));
}

template <class Op>
Check<Op> check_without(const typename Op::Args& args, std::size_t skipped) {
  for (std::size_t i = 0; i < kRules<Op>.size(); ++i) {
    if (i != skipped && kRules<Op>[i].broken_by(args)) return Check<Op>(args, i);
  }
  return Check<Op>(args, kNoRule);
}

}  // namespace prelaunch
