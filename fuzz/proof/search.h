// Looks for calls that tell a contract from a changed one: what the corpus lacks.
#pragma once

#include <vector>

#include "fuzz/op_info.h"
#include "fuzz/proof/score.h"

namespace prelaunch::fuzz {

// For each change that one can be found for, a call, as the contract judges it now: whoever keeps
// it must have looked whether that is right. Candidates are the given calls after one or two
// generic edits; a call that serves several changes is given once.
std::vector<NamedCall> find_calls(const OpInfo& op, const std::vector<StoredCall>& calls,
                                  const std::vector<Change>& changes);

}  // namespace prelaunch::fuzz
