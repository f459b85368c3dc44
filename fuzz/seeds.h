// The seed corpus of an op, derived from its cases.h.
#pragma once

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

// The op's cases as accepted calls, "accept-<case>".
std::vector<NamedCall> accepted_calls(const OpInfo& op);

// Those, and calls that break each rule:
//
//   <rule>-broken[.n]          every edit that breaks one rule, on each field that it edits: a call
//                              one edit away from a case
//   <rule>-before-<next rule>  where two rules that follow each other can be broken together: the
//                              first one is told
//
// The last are found by asking the contract; that it tells the first is what they then hold it to.
std::vector<NamedCall> seeds(const OpInfo& op);

// A name for a file: letters, digits, '.', '_' and '-'.
std::string slug(std::string_view text);
// "name" for the first of several, "name.2" for the second.
std::string numbered(const std::string& name, std::size_t number);

}  // namespace prelaunch::fuzz
