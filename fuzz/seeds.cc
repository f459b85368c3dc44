#include "fuzz/seeds.h"

#include <fmt/format.h>

#include <set>

#include "fuzz/codec.h"
#include "fuzz/difference.h"
#include "fuzz/generate.h"
#include "kernels/common/door.h"
#include "prelaunch_ops.h"

namespace prelaunch::fuzz {
namespace {

// An edit that breaks one rule of a valid call, or does not apply: break_own_rule with one entry of
// the op's list, or a descriptor's edit of one field.
template <class Op>
struct RuleEdit {
  const Violation* own = nullptr;
  const DescriptorEdit* descriptor = nullptr;  // null as well: the field is left out
  std::size_t field = 0;

  std::size_t apply(Call& call, Choices& choose) const {
    if (own != nullptr) return break_own_rule<Op>(call, std::span(own, 1), choose);
    if (descriptor != nullptr) return break_descriptor<Op>(call, field, *descriptor, choose);
    return leave_out<Op>(call, field);
  }
};

template <class Op, class Violations>
std::vector<RuleEdit<Op>> edits(const Violations& violations) {
  std::vector<RuleEdit<Op>> out;
  for (std::size_t field = 0; field < Op::kFields.size(); ++field) {
    out.push_back({.field = field});
    for (const DescriptorEdit& each : kDescriptorEdits) {
      out.push_back({.descriptor = &each, .field = field});
    }
  }
  for (const Violation& each : violations) out.push_back({.own = &each});
  return out;
}

// A call that breaks one rule, and none before it, and the edit that made it so.
template <class Op>
struct Broken {
  RuleEdit<Op> edit;
  Call call;
};
// By rule.
template <class Op>
using AllBroken = std::array<std::vector<Broken<Op>>, kRules<Op>.size()>;

// Draws tried for one edit of one call: an edit chooses among a few fields and values.
constexpr std::uint64_t kTries = 24;
// An edit of more fields than this builds a call of its own: one of those will do.
constexpr std::size_t kWholeCall = 3;

// What an edit did, but for how far it went: "k.shape[1]+". Edits of other values are told apart.
std::string shape_of_edit(const OpInfo& op, const Call& before, const Call& after) {
  const std::vector<Difference> all = differences(op, before, after);
  std::set<std::size_t> fields;
  std::string out;
  for (const Difference& each : all) {
    fields.insert(each.field);
    out += fmt::format("{}.{}{}", each.field, each.property, each.direction);
  }
  return fields.size() > kWholeCall ? "" : out;
}

// Adds what `edit` makes of `base`, as far as that is another edit than those `seen`.
template <class Op>
void add_broken(const OpInfo& op, const RuleEdit<Op>& edit, const Call& base, AllBroken<Op>& out,
                std::set<std::string>& seen) {
  for (std::uint64_t seed = 0; seed < kTries; ++seed) {
    Choices choose(seed);
    Call call = base;
    const std::size_t rule = edit.apply(call, choose);
    if (rule == kNoRule) continue;
    // One of a descriptor's edits is enough for each field.
    const std::string shape =
        edit.descriptor != nullptr ? std::string("any") : shape_of_edit(op, base, call);
    if (seen.insert(shape).second) out[rule].push_back({edit, call});
  }
}

// `bases` are valid calls, those that are to be preferred first.
template <class Op, class Violations>
AllBroken<Op> sole_violations(const OpInfo& op, const std::vector<Call>& bases,
                              const Violations& violations) {
  AllBroken<Op> out;
  for (const RuleEdit<Op>& edit : edits<Op>(violations)) {
    std::set<std::string> seen;
    for (const Call& base : bases) add_broken(op, edit, base, out, seen);
  }
  return out;
}

// Whether the call breaks both rules, and none before the first.
template <class Op>
bool breaks_both(const Call& call, std::size_t first, std::size_t second) {
  const Placement where = place_buffers(call, tensor_fields<Op>(), std::uintptr_t{1} << 20);
  const auto args = bind<Op>(call, where, kJudgedDevices);
  return first_broken<Op>(args) == first && kRules<Op>[second].broken_by(args);
}

// What one of `above`'s edits makes of one of `below`'s calls, where that breaks both rules.
template <class Op>
std::optional<Call> on_top(const std::vector<Broken<Op>>& below,
                           const std::vector<Broken<Op>>& above, std::size_t first) {
  for (const Broken<Op>& base : below) {
    for (const Broken<Op>& top : above) {
      for (std::uint64_t seed = 0; seed < kTries; ++seed) {
        Choices choose(seed);
        Call call = base.call;
        if (top.edit.apply(call, choose) == kNoRule) continue;
        if (breaks_both<Op>(call, first, first + 1)) return call;
      }
    }
  }
  return std::nullopt;
}

// A call that breaks rule `first` and the next: one edit for each, one on top of the other.
template <class Op>
std::optional<Call> both_broken(const AllBroken<Op>& all, std::size_t first) {
  if (auto call = on_top<Op>(all[first + 1], all[first], first)) return call;
  return on_top<Op>(all[first], all[first + 1], first);
}

// "q.rank", and "q.rank-2" for the second rule of that id.
std::string rule_slug(const OpInfo& op, std::size_t rule) {
  const std::string numbered = numbered_id(op, rule).substr(op.name.size() + 1);
  return numbered.ends_with("#1") ? op.rules[rule].id() : slug(numbered);
}

// Calls that the emulator can run come first: they show what a broken rule leads to.
bool is_small(const Call& call, std::size_t fields) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < fields; ++i) {
    bytes += bytes_needed(call.values[i].tensor).value_or(std::int64_t{1} << 40);
  }
  return bytes < std::int64_t{1} << 18;
}

// Small ones first.
std::vector<Call> sorted_bases(const std::vector<NamedCall>& accepted, std::size_t fields) {
  std::vector<Call> out;
  for (const bool small : {true, false}) {
    for (const NamedCall& named : accepted) {
      if (is_small(named.call, fields) == small) out.push_back(named.call);
    }
  }
  return out;
}

template <class Op>
void add_sole_violations(const OpInfo& op, const AllBroken<Op>& all, std::vector<NamedCall>& out) {
  for (std::size_t rule = 0; rule < all.size(); ++rule) {
    std::size_t number = 0;
    for (const Broken<Op>& broken : all[rule]) {
      out.push_back({numbered(rule_slug(op, rule) + "-broken", ++number),
                     "breaks this rule and none before it",
                     broken.call,
                     {Verdict::kReject, rule}});
    }
  }
}

template <class Op>
void add_pairs(const OpInfo& op, const AllBroken<Op>& all, std::vector<NamedCall>& out) {
  for (std::size_t rule = 0; rule + 1 < all.size(); ++rule) {
    if (auto call = both_broken<Op>(all, rule)) {
      out.push_back({rule_slug(op, rule) + "-before-" + rule_slug(op, rule + 1),
                     "breaks both rules, and none before them",
                     *call,
                     {Verdict::kReject, rule}});
    }
  }
}

template <class Cases>
std::vector<NamedCall> calls_of_cases() {
  std::vector<NamedCall> out;
  for (const auto& each : Cases::kCases) {
    out.push_back({"accept-" + slug(each.name),
                   "a case of the op",
                   Cases::make_call(each),
                   {Verdict::kAccept, kNoRule}});
  }
  return out;
}

template <class Op, class Cases>
void add_broken_calls(const OpInfo& op, std::vector<NamedCall>& out) {
  const std::vector<Call> bases = sorted_bases(out, op.fields.size());
  const AllBroken<Op> all = sole_violations<Op>(op, bases, Cases::kViolations);
  add_sole_violations<Op>(op, all, out);
  add_pairs<Op>(op, all, out);
}

// visit.template operator()<Entry>() for the op of this name.
template <class Visit>
void visit_op(std::string_view name, Visit visit) {
  Ops::for_each([&]<class Entry>() {
    if (Entry::Op::kName == name) visit.template operator()<Entry>();
  });
}

// Whom the contract blames, so that a change of that does not go unnoticed.
std::size_t blamed(const OpInfo& op, const NamedCall& named) {
  return op.judge(named.call, {}, {.profile = Profile::kValidate, .explain = Explain::kNever})
      .argument;
}

void make_canonical(const OpInfo& op, std::vector<NamedCall>& calls) {
  for (NamedCall& named : calls) canonical(op, named.call);
}

}  // namespace

std::string slug(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c == ' ' || c == '/' || c == '#') c = '-';
  }
  return out;
}

std::string numbered(const std::string& name, std::size_t number) {
  return number == 1 ? name : name + "." + std::to_string(number);
}

std::vector<NamedCall> accepted_calls(const OpInfo& op) {
  std::vector<NamedCall> out;
  visit_op(op.name, [&]<class Entry>() { out = calls_of_cases<typename Entry::Cases>(); });
  make_canonical(op, out);
  return out;
}

std::vector<NamedCall> seeds(const OpInfo& op) {
  std::vector<NamedCall> out = accepted_calls(op);
  visit_op(op.name, [&]<class Entry>() {
    add_broken_calls<typename Entry::Op, typename Entry::Cases>(op, out);
  });
  make_canonical(op, out);
  for (NamedCall& named : out) named.expect.argument = blamed(op, named);
  return out;
}

}  // namespace prelaunch::fuzz
