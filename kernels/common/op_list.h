// A compile-time list of ops, for what works on each of them.
#pragma once

namespace prelaunch {

template <class OpType, class CasesType>
struct OpEntry {
  using Op = OpType;
  using Cases = CasesType;  // the op's cases.h: kCases, make_call, draw_case, kViolations
};

template <class... Entry>
struct OpList {
  // visit.template operator()<Entry>() for each op, in order.
  template <class Visit>
  static constexpr void for_each(Visit visit) {
    (visit.template operator()<Entry>(), ...);
  }
};

}  // namespace prelaunch
