// Builds the OpInfo of an op from its own headers; one per op, made by `describe<Op>`. Include
// after the op's contract.h and cases.h: what is found there by argument-dependent lookup is all it
// needs.
#pragma once

#include "fuzz/generate.h"
#include "fuzz/oracle.h"

namespace prelaunch::fuzz {

template <class Args>
constexpr FieldType field_type(const Member<Args>& member) {
  return static_cast<FieldType>(member.index());  // the variant's order is FieldType's
}

template <class Op>
inline constexpr auto kFieldInfos = [] {
  std::array<FieldInfo, Op::kFields.size()> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto& field = Op::kFields[i];
    out[i] = {field.name, field_type<typename Op::Args>(field.member), field.presence};
  }
  return out;
}();

template <class Op>
inline constexpr auto kRuleInfos = [] {
  std::array<RuleInfo, kRules<Op>.size()> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto& rule = kRules<Op>[i];
    out[i] = {rule.argument, rule.property, rule.kind, rule.text, rule.why};
  }
  return out;
}();

// `Cases` is a type with the op's cases.h behind it: kCases, make_call, draw_case, kViolations.
template <class Op, class Cases>
const OpInfo& describe() {
  static_assert(Op::kFields.size() <= kMaxFields);
  static constexpr auto draw = [](Choices& choose) {
    return Cases::make_call(Cases::draw_case(choose));
  };
  static const OpInfo info{.name = Op::kName,
                           .fields = kFieldInfos<Op>,
                           .rules = kRuleInfos<Op>,
                           .judge = &judge<Op>,
                           .generate = [](Choices& choose, Call& call) {
                             return generate<Op>(kFieldInfos<Op>, call, draw, Cases::kViolations,
                                                 choose);
                           }};
  return info;
}

}  // namespace prelaunch::fuzz
