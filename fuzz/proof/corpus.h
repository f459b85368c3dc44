// The stored calls of an op, and what the proof's tools have in common.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/campaign/replay.h"

namespace prelaunch::fuzz {

// The calls in corpus/<op> of the checkout. Throws FileError where there is none.
std::vector<StoredCall> load_corpus(const OpInfo& op);

// All ops, or those of these names. Throws FileError for a name that is none.
std::vector<const OpInfo*> ops_named(const std::vector<std::string>& names);

}  // namespace prelaunch::fuzz
