// Calls that are simpler than a given one.
#pragma once

#include <vector>

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

// With some of its properties as in `base`: all of them, those of one kind in every argument, all
// of one argument, single ones.
std::vector<Call> closer_calls(const OpInfo& op, const Call& call, const Call& base);

// With smaller sizes and integers: a number everywhere it stands, or in one place. Tensors that
// were compact stay so.
std::vector<Call> smaller_calls(const OpInfo& op, const Call& call);

}  // namespace prelaunch::fuzz
