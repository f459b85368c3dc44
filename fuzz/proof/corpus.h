// The stored calls of an op.
#pragma once

#include <vector>

#include "fuzz/campaign/replay.h"

namespace prelaunch::fuzz {

// The calls in corpus/<op> of the checkout. Throws FileError where there is none.
std::vector<StoredCall> load_corpus(const OpInfo& op);

}  // namespace prelaunch::fuzz
