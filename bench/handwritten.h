// The yardstick of accepting: each op's contract as a careful engineer would write it by hand, an
// if-chain over the same views with the same rules in the same order. One per op, in
// bench/handwritten/<op>.cc, compiled on its own as check<Op> is.
#pragma once

#include <cstddef>

#include "kernels/common/contract.h"

namespace prelaunch::bench {

// Index into kRules<Op> of the first broken rule; kNoRule when accepted.
template <class Op>
std::size_t handwritten(const typename Op::Args& args);

template <class Op>
using Judge = std::size_t (*)(const typename Op::Args&);

template <class Op>
std::size_t table_verdict(const typename Op::Args& args) {
  return check<Op>(args).broken();
}

// A view that breaks a well-formed rule breaks the one its flaw is the number of: eight an
// argument.
inline constexpr std::size_t kRulesOfTensor = 8;
constexpr std::size_t flaw_rule(const TensorView& view, std::size_t tensor) {
  return tensor * kRulesOfTensor + static_cast<std::size_t>(view.flaw) - 1;
}

}  // namespace prelaunch::bench
