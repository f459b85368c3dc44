// Before anything is timed: two judges of an op's calls must say the same.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "bench/bound_call.h"
#include "bench/handwritten.h"
#include "kernels/common/sole_violation.h"

namespace prelaunch::bench {

inline constexpr std::uint64_t kSeed = 20;
inline constexpr int kDrawnCalls = 20'000;

// "q.rank"; an optional output has two rules `size`, and the second of an id is told apart.
template <class Op>
std::string rule_name(std::size_t rule) {
  if (rule == kNoRule) return "accepted";
  const auto& of = kRules<Op>[rule];
  std::string name = fmt::format("{}.{}", of.argument, of.property);
  return rule_of<Op>(of.argument, of.property, Which::kWellFormed) == rule ? name : name + "#2";
}

template <class Op, class Cases>
std::optional<Call> sole_violation_of(std::size_t rule) {
  const auto valid = [](Choices& choose) { return Cases::make_call(Cases::draw_case(choose)); };
  return sole_violation<Op>(rule, valid, Cases::kViolations);
}

// A small valid call, then up to one edit of an own rule and one of each tensor: any number of
// rules may be broken. The own edit comes first, because it relies on descriptors that make sense.
template <class Op, class Cases>
Call draw_edited(Choices& choose) {
  Call call = Cases::make_call(Cases::draw_case(choose));
  if (choose.one_in(2)) break_own_rule<Op>(call, Cases::kViolations, choose);
  for (std::size_t field = 0; field < Op::kFields.size(); ++field) {
    if (choose.one_in(16)) leave_out<Op>(call, field);
    if (!choose.one_in(8)) continue;
    break_descriptor<Op>(call, field, kDescriptorEdits[choose.below(kDescriptorEdits.size())],
                         choose);
  }
  return call;
}

template <class Op>
class Comparison {
 public:
  Comparison(Judge<Op> table, Judge<Op> twin) : table_(table), twin_(twin) {}

  // Remembers the first call on which the judges differ from each other or from what is known.
  void add(const Call& call, std::optional<std::size_t> known, const std::string& what) {
    if (wrong_) return;
    const BoundCall<Op> bound(call);
    const std::size_t table = table_(bound.args()), twin = twin_(bound.args());
    if (table == twin && table == known.value_or(table)) return;
    wrong_ = fmt::format("{}: {}: the table says {}, the handwritten twin {}", Op::kName, what,
                         rule_name<Op>(table), rule_name<Op>(twin));
    if (known) *wrong_ += fmt::format(", expected {}", rule_name<Op>(*known));
  }
  std::optional<std::string> wrong() const { return wrong_; }

 private:
  Judge<Op> table_, twin_;
  std::optional<std::string> wrong_;
};

// The first disagreement over the cases, a sole violation of each rule, and drawn calls.
template <class Op, class Cases>
std::optional<std::string> first_disagreement(Judge<Op> table, Judge<Op> twin) {
  Comparison<Op> comparison(table, twin);
  for (const auto& of : Cases::kCases) {
    comparison.add(Cases::make_call(of), kNoRule, fmt::format("case {}", of.name));
  }
  for (std::size_t rule = 0; rule < kRules<Op>.size(); ++rule) {
    if (const auto call = sole_violation_of<Op, Cases>(rule)) {
      comparison.add(*call, rule, fmt::format("a sole violation of {}", rule_name<Op>(rule)));
    }
  }
  Choices choose(kSeed);
  for (int i = 0; i < kDrawnCalls; ++i) {
    comparison.add(draw_edited<Op, Cases>(choose), std::nullopt, fmt::format("drawn call {}", i));
  }
  return comparison.wrong();
}

}  // namespace prelaunch::bench
