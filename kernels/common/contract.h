// Contracts: a table of rules, and the only way from arguments to a launch.
//
//   const Check<Op> checked = check<Op>(args);        // allocates nothing, touches no memory
//   if (!checked) return report(explain(checked));    // kernels/common/explain.h
//   launch(checked.accepted(), stream);               // does not compile with unchecked arguments
//
// A contract is one constexpr table in the op's contract.h:
//
//   template <>
//   inline constexpr auto prelaunch::kRules<Op> = contract<Op>(std::to_array<Rule<Args>>({
//     {"qkv.cuda", kSafety, "q, k, and v must be CUDA tensors",
//      [](const Args& a) PRELAUNCH_RULE { return first_not(on_cuda, a.q, a.k, a.v); }},
//     ...
//   }));
//
// `contract` puts the well-formed rules of every tensor field in front. The first broken rule wins,
// so a rule may rely on those before it. Ids are permanent: never renumbered, never reused. An id
// in the table is `<argument>.<property>`; messages and files spell it
// `<op>.<argument>.<property>`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "kernels/common/field.h"

// On every rule's lambda and on those inside it: without it clang leaves some rules of long tables
// as calls, and g++ the inner ones.
#define PRELAUNCH_RULE __attribute__((always_inline))

#define PRELAUNCH_UNLIKELY(condition) __builtin_expect_with_probability(condition, false, 0.999)

namespace prelaunch {

// Why a rule exists. Safety: break it and some input makes the kernel touch memory it must not, or
// fault. Semantics: break it and some input gives a wrong result. Policy: we choose to be narrower;
// such a rule says why.
enum class RuleKind : std::uint8_t { kSafety, kSemantics, kPolicy };
inline constexpr RuleKind kSafety = RuleKind::kSafety;
inline constexpr RuleKind kSemantics = RuleKind::kSemantics;
inline constexpr RuleKind kPolicy = RuleKind::kPolicy;

constexpr std::string_view to_string(RuleKind kind) {
  return kind == kSafety ? "safety" : kind == kSemantics ? "semantics" : "policy";
}

template <class Args>
struct Rule {
  using Holds = bool (*)(const Args&);
  using Offender = const TensorView* (*)(const Args&);
  using RealOffender = const float* (*)(const Args&);

  std::string_view argument, property;
  RuleKind kind;
  // The message, with {argument.property} placeholders; see kernels/common/explain.h.
  std::string_view text;
  // Exactly one of the three is set. A rule over one argument, named by its id, `holds`; a rule
  // over a group, of tensors or of real scalars, gives its first offender in field order, or null
  // when it holds.
  Holds holds = nullptr;
  Offender offender = nullptr;
  RealOffender real_offender = nullptr;
  // For a policy rule: why we are narrower than the kernel would have to be.
  std::string_view why;

  constexpr Rule(std::string_view id, RuleKind k, std::string_view t, Holds h,
                 std::string_view w = {})
      : Rule(id.substr(0, id.find('.')), id.substr(id.find('.') + 1), k, t, h, nullptr, w) {}
  constexpr Rule(std::string_view id, RuleKind k, std::string_view t, Offender o,
                 std::string_view w = {})
      : Rule(id.substr(0, id.find('.')), id.substr(id.find('.') + 1), k, t, nullptr, o, w) {}
  constexpr Rule(std::string_view id, RuleKind k, std::string_view t, RealOffender o,
                 std::string_view w = {})
      : argument(id.substr(0, id.find('.'))),
        property(id.substr(id.find('.') + 1)),
        kind(k),
        text(t),
        real_offender(o),
        why(w) {}
  constexpr Rule(std::string_view a, std::string_view p, RuleKind k, std::string_view t, Holds h,
                 Offender o, std::string_view w)
      : argument(a), property(p), kind(k), text(t), holds(h), offender(o), why(w) {}

  constexpr bool broken_by(const Args& args) const {
    if (holds != nullptr) return !holds(args);
    return offender != nullptr ? offender(args) != nullptr : real_offender(args) != nullptr;
  }
  // The offender of a rule over a group; null for a rule over one argument.
  constexpr const void* blamed(const Args& args) const {
    if (offender != nullptr) return offender(args);
    return real_offender != nullptr ? real_offender(args) : nullptr;
  }
};

// A number or a shape that a message speaks of and that follows from the arguments.
struct Quantity {
  // -1: `dims[0]` is a number; otherwise a shape of this rank.
  std::int32_t rank = -1;
  std::array<std::int64_t, kMaxRank> dims{};
  // Its arithmetic left 64 bits.
  bool too_large = false;
};

constexpr Quantity number(std::int64_t value) { return {.dims = {value}}; }
constexpr Quantity product(std::initializer_list<std::int64_t> factors) {
  Quantity out = number(1);
  for (const std::int64_t factor : factors) {
    out.too_large |= __builtin_mul_overflow(out.dims[0], factor, &out.dims[0]);
  }
  return out;
}
template <std::size_t kRank>
constexpr Quantity shape(const std::int64_t (&dims)[kRank]) {
  Quantity out{.rank = static_cast<std::int32_t>(kRank)};
  for (std::size_t d = 0; d < kRank; ++d) out.dims[d] = dims[d];
  return out;
}

// A {name} that the op's messages may use. `value` may rely on the rules before the one whose
// message uses it.
template <class Args>
struct Derived {
  std::string_view name;
  Quantity (*value)(const Args&);
};

// The derived quantities of an op, as std::array<Derived<Args>, N>: specialised by the op's
// contract.h where its messages need any.
template <class Op>
inline constexpr std::array<Derived<typename Op::Args>, 0> kDerived{};

// The contract of an op: the table, well-formed rules first. Specialised by the op's contract.h.
template <class Op>
inline constexpr std::nullptr_t kRules = nullptr;

namespace detail {

struct WellFormedRule {
  Flaw flaw;
  std::string_view property, text;
};

inline constexpr auto kWellFormed = std::to_array<WellFormedRule>({
    {Flaw::kPresent, "present", "{argument} must be a tensor with a shape, got {presence}"},
    {Flaw::kRank, "rank", "{argument} must have 0 to 8 dimensions, got {rank}"},
    {Flaw::kDtypeWidth, "dtype_width",
     "{argument} must have a dtype of 8, 16, 32, 64 or 128 bits in one lane, got {dtype}"},
    {Flaw::kShape, "shape", "{argument} must have no negative dimension, got shape={shape}"},
    {Flaw::kStrides, "strides",
     "{argument} must have no negative stride where a dimension is above 1, got strides={strides}"},
    {Flaw::kSize, "size",
     "{argument} must fit 64-bit sizes and addresses, got shape={shape}, strides={strides}, "
     "dtype={dtype} at {address}"},
    {Flaw::kDeviceIndex, "device_index",
     "{argument} must be on a device that exists, got {device}"},
    {Flaw::kData, "data",
     "{argument} must have non-null data aligned to its element size, got {address} for {dtype}"},
});

// A flaw is the number of its rule, from 1: first_broken relies on it.
static_assert([] {
  for (std::size_t i = 0; i < kWellFormed.size(); ++i) {
    if (kWellFormed[i].flaw != static_cast<Flaw>(i + 1)) return false;
  }
  return kWellFormed.back().flaw == Flaw::kData;
}());

template <class Op, std::size_t kField, Flaw kFlaw>
PRELAUNCH_RULE constexpr bool lacks_flaw(const typename Op::Args& args) {
  using Args = typename Op::Args;
  constexpr auto& field = Op::kFields[kField];
  constexpr auto member = std::get<TensorView Args::*>(field.member);
  if constexpr (kFlaw == Flaw::kPresent && field.presence == kRequired) {
    if (!(args.*member).given) return false;
  }
  return (args.*member).flaw != kFlaw;
}

template <class Op, std::size_t kField, std::size_t kIndex>
constexpr auto well_formed_rule() {
  constexpr const WellFormedRule& rule = kWellFormed[kIndex];
  return Rule<typename Op::Args>(Op::kFields[kField].name, rule.property, kSafety, rule.text,
                                 &lacks_flaw<Op, kField, rule.flaw>, nullptr, {});
}

template <class Op, std::size_t kField>
constexpr auto well_formed_rules() {
  if constexpr (Op::kFields[kField].is_tensor()) {
    return []<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
      return std::array<Rule<typename Op::Args>, sizeof...(kIndex)>{
          {well_formed_rule<Op, kField, kIndex>()...}};
    }(std::make_index_sequence<kWellFormed.size()>());
  } else {
    return std::array<Rule<typename Op::Args>, 0>{};
  }
}

// Item `index` of arrays one behind the other.
template <class T, std::size_t kFirst, std::size_t... kRest>
constexpr const T& item(std::size_t index, const std::array<T, kFirst>& first,
                        const std::array<T, kRest>&... rest) {
  if constexpr (kFirst == 0) {
    return item(index, rest...);
  } else if constexpr (sizeof...(rest) > 0) {
    return index < kFirst ? first[index] : item(index - kFirst, rest...);
  } else {
    return first[index];
  }
}

// Not by way of a tuple: compilers give up on one of this many items.
template <class T, std::size_t... kSizes>
constexpr auto concatenate(const std::array<T, kSizes>&... arrays) {
  return [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    return std::array<T, sizeof...(kIndex)>{{item(kIndex, arrays...)...}};
  }(std::make_index_sequence<(kSizes + ...)>());
}

}  // namespace detail

// The whole table of an op: the well-formed rules of every tensor, in field order, then its own.
template <class Op, std::size_t kOwn>
constexpr auto contract(const std::array<Rule<typename Op::Args>, kOwn>& own) {
  return [&]<std::size_t... kField>(std::index_sequence<kField...>) {
    return detail::concatenate(detail::well_formed_rules<Op, kField>()..., own);
  }(std::make_index_sequence<Op::kFields.size()>());
}

// Arguments that every rule of the op holds for. Only `check` makes one. It borrows the arguments:
// they must outlive it and stay as they were checked.
template <class Op>
class Accepted {
 public:
  const typename Op::Args& args() const { return *args_; }

 private:
  explicit Accepted(const typename Op::Args& args) : args_(&args) {}
  const typename Op::Args* args_;
  template <class>
  friend class Check;
};

inline constexpr std::size_t kNoRule = static_cast<std::size_t>(-1);

// The verdict on one call: accepted, or the first rule it breaks.
template <class Op>
class [[nodiscard]] Check {
 public:
  constexpr explicit operator bool() const { return broken_ == kNoRule; }
  // Ends the process for a call that was rejected: there is no way past the contract.
  Accepted<Op> accepted() const {
    if (broken_ != kNoRule) __builtin_trap();
    return Accepted<Op>(*args_);
  }
  // Index into kRules<Op> of the first broken rule; kNoRule when accepted.
  constexpr std::size_t broken() const { return broken_; }
  const typename Op::Args& args() const { return *args_; }

 private:
  constexpr Check(const typename Op::Args& args, std::size_t broken)
      : args_(&args), broken_(broken) {}
  const typename Op::Args* args_;
  std::size_t broken_;
  template <class O>
  friend Check<O> check(const typename O::Args& args);
  template <class O>
  friend Check<O> check_without(const typename O::Args& args, std::size_t skipped);
};

namespace detail {

// The rule's function is a constant here: a pointer read from the table would stay a call in
// g++ 12.
template <class Op, std::size_t kIndex>
__attribute__((flatten, always_inline)) constexpr bool broken_by(const typename Op::Args& args) {
  constexpr auto holds = kRules<Op>[kIndex].holds;
  constexpr auto offender = kRules<Op>[kIndex].offender;
  constexpr auto real_offender = kRules<Op>[kIndex].real_offender;
  if constexpr (holds != nullptr) {
    return !holds(args);
  } else if constexpr (offender != nullptr) {
    return offender(args) != nullptr;
  } else {
    return real_offender(args) != nullptr;
  }
}

template <class Op>
inline constexpr std::size_t kTensors = [] {
  std::size_t count = 0;
  for (const auto& field : Op::kFields) count += field.is_tensor() ? 1 : 0;
  return count;
}();

// The well-formed rules of a tensor in one comparison: its flaw is the number of the one it breaks.
// `rule` is the index of their first; moves on to the next tensor's when they all hold.
template <class Op, std::size_t kField>
__attribute__((always_inline)) constexpr bool malformed(const typename Op::Args& args,
                                                        std::size_t& rule) {
  constexpr auto& field = Op::kFields[kField];
  if constexpr (field.is_tensor()) {
    const TensorView& view = args.*std::get<TensorView Op::Args::*>(field.member);
    if (field.presence == kRequired && !view.given) return true;
    if (view.flaw != Flaw::kNone) {
      rule += static_cast<std::size_t>(view.flaw) - 1;
      return true;
    }
    rule += kWellFormed.size();
  }
  return false;
}

}  // namespace detail

// Index of the first broken rule, or kNoRule. One fold over the table, compiled into straight code;
// the well-formed rules, which are most of it, take one comparison a tensor.
template <class Op>
__attribute__((flatten, always_inline)) constexpr std::size_t first_broken(
    const typename Op::Args& args) {
  constexpr std::size_t kOwn = detail::kTensors<Op> * detail::kWellFormed.size();
  std::size_t broken = 0;
  const bool malformed = [&]<std::size_t... kField>(std::index_sequence<kField...>) __attribute__((
                             flatten, always_inline)) {
    return (PRELAUNCH_UNLIKELY((detail::malformed<Op, kField>(args, broken))) || ...);
  }(std::make_index_sequence<Op::kFields.size()>());
  if (malformed) return broken;
  broken = kNoRule;
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>)
      __attribute__((flatten, always_inline)) {
        // A long chain of even odds would make g++ take its end for cold, and optimise it for size.
        static_cast<void>(((PRELAUNCH_UNLIKELY((detail::broken_by<Op, kOwn + kIndex>(args)))
                                ? (broken = kOwn + kIndex, true)
                                : false) ||
                           ...));
      }(std::make_index_sequence<kRules<Op>.size() - kOwn>());
  return broken;
}

// Judges a call against the contract. Takes normalised views; makes no CUDA call, touches no memory
// of a tensor, allocates nothing. Instantiated once per op by the build (add_op). The result
// borrows `args`.
template <class Op>
Check<Op> check(const typename Op::Args& args);
template <class Op>
Check<Op> check(const typename Op::Args&& args) = delete;  // it would borrow a temporary

// The same with one rule left out, in a loop: for showing what a rule is for, never for a launch
// that ships. `skipped` indexes kRules<Op>.
template <class Op>
Check<Op> check_without(const typename Op::Args& args, std::size_t skipped);

}  // namespace prelaunch
