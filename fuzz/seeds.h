// The seed corpus of an op, derived from its cases.h: every case as an accepted call, and for each
// rule one call that breaks it and nothing before it.
#pragma once

#include "fuzz/codec.h"
#include "fuzz/generate.h"

namespace prelaunch::fuzz {

// File names are letters, digits, '.', '_' and '-'.
inline std::string slug(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c == ' ' || c == '/' || c == '#') c = '-';
  }
  return out;
}

template <class Op, class Cases, class Make, class Valid, class Violations>
std::vector<NamedCall> seeds(const OpInfo& op, const Cases& cases, Make make, Valid valid,
                             const Violations& violations) {
  std::vector<NamedCall> out;
  for (const auto& each : cases) {
    out.push_back(
        {"accept-" + slug(each.name), "a case of the op", make(each), {Verdict::kAccept, kNoRule}});
  }
  for (std::size_t rule = 0; rule < op.rules.size(); ++rule) {
    if (auto call = sole_violation<Op>(rule, valid, violations)) {
      // "q.rank-broken", and "q.rank-2-broken" for the second rule of that id.
      const std::string numbered = numbered_id(op, rule).substr(op.name.size() + 1);
      const std::string name = numbered.ends_with("#1") ? op.rules[rule].id() : slug(numbered);
      out.push_back({name + "-broken",
                     "breaks this rule and none before it",
                     *call,
                     {Verdict::kReject, rule}});
    }
  }
  for (NamedCall& named : out) canonical(op, named.call);
  return out;
}

}  // namespace prelaunch::fuzz
