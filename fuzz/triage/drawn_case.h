// Valid calls between one that an op's generator draws and its default one: an op's cases.h tells
// which sizes, dtypes and layouts go together, and so lets a call become simpler in one of them.
#pragma once

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

// The case drawn from `seed`, but for the members whose bit is set: those are the default case's.
struct DrawnCase {
  std::uint64_t seed = 0;
  std::uint32_t defaults = 0;
};

// How many members the op's cases have, their name not among them.
unsigned case_members(const OpInfo& op);

// The call of a case. One that is a mixture may be invalid.
Call call_of(const OpInfo& op, const DrawnCase& drawn);

// The call of the first of the op's cases that is small enough to be run again and again.
const Call& default_call(const OpInfo& op);

}  // namespace prelaunch::fuzz
