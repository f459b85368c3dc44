// The stored calls of an op.
#pragma once

#include <vector>

#include "fuzz/campaign/replay.h"

namespace prelaunch::fuzz {

// The calls in corpus/<op> of the checkout. Throws FileError where there is none, or another op's.
std::vector<StoredCall> load_corpus(const OpInfo& op);

// The path of its file in the checkout.
std::string path_of(const StoredCall& stored);

// A line for each call that the contract as it is does not judge as its file says: nothing can be
// shown by a corpus that has some.
std::vector<std::string> misjudged(const std::vector<StoredCall>& calls);

}  // namespace prelaunch::fuzz
