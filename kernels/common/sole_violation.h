// Sole violations: calls one edit away from a valid one, whose verdict is known. The edits of a
// tensor's descriptor follow from the field list and work for every op; those for an op's own rules
// stand in its cases.h. Fuzzers, seeds and benchmarks take them here.
#pragma once

#include <limits>
#include <optional>

#include "kernels/common/contract.h"
#include "kernels/common/violation.h"

namespace prelaunch {

// Each makes a flawless, given tensor have exactly one flaw first; false where it does not apply.
struct DescriptorEdit {
  std::string_view property;
  bool (*edit)(TensorSpec& tensor, Choices& choose);
};

namespace detail {

inline constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

inline std::size_t any_dim(const TensorSpec& t, Choices& choose) {
  return static_cast<std::size_t>(choose.below(static_cast<std::uint64_t>(t.rank)));
}

}  // namespace detail

inline constexpr auto kDescriptorEdits = std::to_array<DescriptorEdit>({
    {"present", [](TensorSpec& t, Choices&) { return t.rank > 0 && (t.null_shape = true); }},
    {"rank",
     [](TensorSpec& t, Choices& choose) {
       t.rank = choose.of({-1, kMaxRank + 1, 1 << 20, std::numeric_limits<std::int32_t>::min()});
       return true;
     }},
    {"dtype_width",
     [](TensorSpec& t, Choices& choose) {
       if (choose.one_in(2)) {
         t.dtype.bits = choose.of<std::uint8_t>({0, 1, 4, 12, 24, 255});
       } else {
         t.dtype.lanes = choose.of<std::uint16_t>({0, 2, 4, 65535});
       }
       return true;
     }},
    {"shape",
     [](TensorSpec& t, Choices& choose) {
       if (t.rank < 1) return false;
       t.shape[detail::any_dim(t, choose)] =
           choose.of({std::int64_t{-1}, std::int64_t{-2}, detail::kMin});
       return true;
     }},
    {"strides",
     [](TensorSpec& t, Choices& choose) {
       const std::size_t d = t.rank < 1 ? 0 : detail::any_dim(t, choose);
       if (t.rank < 1 || t.null_strides || t.shape[d] <= 1) return false;
       t.strides[d] = choose.of({std::int64_t{-1}, detail::kMin, -detail::kMax});
       return true;
     }},
    {"size",
     [](TensorSpec& t, Choices& choose) {
       if (t.rank < 1 || t.dtype.bits < 16) return false;
       t.shape[detail::any_dim(t, choose)] = choose.of({detail::kMax, detail::kMax / 2 + 1});
       return true;
     }},
    {"size",
     [](TensorSpec& t, Choices& choose) {
       const std::size_t d = t.rank < 1 ? 0 : detail::any_dim(t, choose);
       if (t.rank < 1 || t.null_strides || t.shape[d] <= 1 || is_empty(t)) return false;
       t.strides[d] = detail::kMax;
       return true;
     }},
    {"size",
     [](TensorSpec& t, Choices&) {
       // data + byte_offset wraps.
       t.offset = ~std::uint64_t{0} - static_cast<std::uint64_t>(t.dtype.bytes()) + 1;
       t.source = DataSource::kLiteral;
       t.literal = 256;
       return true;
     }},
    {"size",
     [](TensorSpec& t, Choices&) {
       // The last element ends where the address space does: one past it wraps to 0.
       if (is_empty(t)) return false;
       t.offset = 0;
       t.source = DataSource::kLiteral;
       t.literal = ~std::uint64_t{0} - static_cast<std::uint64_t>(t.dtype.bytes()) + 1;
       return true;
     }},
    {"device_index",
     [](TensorSpec& t, Choices& choose) {
       t.device.index = choose.of({-1, 64, std::numeric_limits<std::int32_t>::min()});
       return true;
     }},
    {"data",
     [](TensorSpec& t, Choices&) {
       if (is_empty(t)) return false;
       t.source = DataSource::kNull;
       t.offset = 0;
       return true;
     }},
    {"data",
     [](TensorSpec& t, Choices&) {
       if (t.dtype.bits < 16) return false;
       t.offset += 1;
       return true;
     }},
});

// Index of the rule with this id. An optional output has two rules `size`: the well-formed one of a
// given output and, after it, the op's own for an absent one.
enum class Which : std::uint8_t { kWellFormed, kOwn };

// Not with ==: sanitizers and fuzzers watch each memcmp, and tables have more than a hundred rules.
constexpr bool same_text(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

template <class Op>
std::size_t rule_of(std::string_view argument, std::string_view property, Which which) {
  std::size_t found = kNoRule;
  for (std::size_t i = 0; i < kRules<Op>.size(); ++i) {
    if (!same_text(kRules<Op>[i].property, property)) continue;
    if (!same_text(kRules<Op>[i].argument, argument)) continue;
    if (which == Which::kOwn || found == kNoRule) found = i;
  }
  return found;
}

// Applies `edit` to field `field` of a valid call; the rule that must fire, or kNoRule when the
// edit does not apply (the call is then spoilt or untouched: discard it).
template <class Op>
std::size_t break_descriptor(Call& call, std::size_t field, const DescriptorEdit& edit,
                             Choices& choose) {
  Value& value = call.values[field];
  if (!Op::kFields[field].is_tensor() || value.absent) return kNoRule;
  if (!edit.edit(value.tensor, choose)) return kNoRule;
  return rule_of<Op>(Op::kFields[field].name, edit.property, Which::kWellFormed);
}

// A required tensor left out.
template <class Op>
std::size_t leave_out(Call& call, std::size_t field) {
  const auto& info = Op::kFields[field];
  if (!info.is_tensor() || info.presence == kOptional) return kNoRule;
  call.values[field].absent = true;
  return rule_of<Op>(info.name, "present", Which::kWellFormed);
}

template <class Op, class Violations>
std::size_t break_own_rule(Call& call, const Violations& violations, Choices& choose) {
  const Violation& violation = violations[choose.below(violations.size())];
  if (!violation.edit(call, choose)) return kNoRule;
  const auto dot = violation.rule.find('.');
  return rule_of<Op>(violation.rule.substr(0, dot), violation.rule.substr(dot + 1), Which::kOwn);
}

template <class Op, class Violations>
std::size_t break_one_rule(Call& call, const Violations& violations, Choices& choose) {
  if (choose.one_in(2)) return break_own_rule<Op>(call, violations, choose);
  const std::size_t field = choose.below(Op::kFields.size());
  if (choose.one_in(16)) return leave_out<Op>(call, field);
  return break_descriptor<Op>(call, field, kDescriptorEdits[choose.below(kDescriptorEdits.size())],
                              choose);
}

// A sole violation of rule `rule`, or nothing: tries the edits on the op's cases, then on random
// valid calls.
template <class Op, class Valid, class Violations>
std::optional<Call> sole_violation(std::size_t rule, Valid valid, const Violations& violations) {
  Choices choose(std::uint64_t{rule});
  for (int tries = 0; tries < 100'000; ++tries) {
    Call call = valid(choose);
    if (break_one_rule<Op>(call, violations, choose) == rule) return call;
  }
  return std::nullopt;
}

}  // namespace prelaunch
