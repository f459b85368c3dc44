// What a rejected call tells its caller. Building it may allocate; accepting never comes here.
//
// A rule's text is its message with placeholders in braces:
//   {q.shape} {q.strides} {q.dtype} {q.device} {q.rank} {q.address}   a property of a tensor
//   argument {q.shape[0]}                                                      one dimension
//   {world_size}                                                      a scalar argument
//   {shape}, {dtype}, ...                                             a property of the one to
//   blame {argument}, {presence}                                            its name; what was
//   given of it
//   {expected_rows}                                                  what kDerived<Op> lists
// Shapes print as (5,), devices as cuda:0, dtypes as torch.bfloat16, an absent argument as None.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/common/contract.h"

namespace prelaunch {

struct Explanation {
  std::string rule;       // <op>.<argument>.<property>
  std::string message;    // one line
  std::string argument;   // the first offending argument, in field order
  std::string arguments;  // one line: every argument's shape, strides, dtype and device
};

// One argument as the renderer sees it; a null tensor pointer is a scalar, with its text.
struct Argument {
  std::string_view name;
  const TensorView* tensor = nullptr;
  std::string scalar;
  bool written = false;
  // A scalar's place in the arguments.
  const void* place = nullptr;
};

// A rule without the type of its arguments.
struct RuleText {
  std::string_view argument, property, text;
};

std::string scalar_text(std::int64_t value);
std::string scalar_text(float value);
std::string scalar_text(bool value);
std::string scalar_text(std::optional<float> value);

// A quantity with its name and text.
struct NamedText {
  std::string_view name;
  std::string text;
};
// "5", "(2, 3)", or "a number that 64 bits cannot hold".
std::string quantity_text(const Quantity& quantity);

// `blamed` is one of `arguments`' tensors or places, or null when the rule names its argument.
Explanation explain(std::string_view op, const RuleText& rule, std::span<const Argument> arguments,
                    std::span<const NamedText> derived, const void* blamed);

template <class Op>
std::vector<Argument> arguments_of(const typename Op::Args& args) {
  std::vector<Argument> arguments;
  for (const auto& field : Op::kFields) {
    Argument argument{field.name, field.tensor(args), {}, field.written()};
    if (argument.tensor == nullptr) {
      argument.scalar = std::visit(
          [&args](auto member) -> std::string {
            if constexpr (std::is_same_v<decltype(member), TensorView Op::Args::*>)
              return {};
            else
              return scalar_text(args.*member);
          },
          field.member);
      argument.place =
          std::visit([&args](auto member) -> const void* { return &(args.*member); }, field.member);
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

// Those that the rule's text uses: others may rely on rules that are broken.
template <class Op>
std::vector<NamedText> derived_of(std::string_view text, const typename Op::Args& args) {
  std::vector<NamedText> out;
  for (const auto& derived : kDerived<Op>) {
    const std::string placeholder = std::string("{").append(derived.name).append("}");
    if (text.find(placeholder) == text.npos) continue;
    out.push_back({derived.name, quantity_text(derived.value(args))});
  }
  return out;
}

// Precondition: the call was rejected.
template <class Op>
Explanation explain(const Check<Op>& checked) {
  const auto& rule = kRules<Op>[checked.broken()];
  return explain(Op::kName, {rule.argument, rule.property, rule.text},
                 arguments_of<Op>(checked.args()), derived_of<Op>(rule.text, checked.args()),
                 rule.blamed(checked.args()));
}

}  // namespace prelaunch
