// A call as a C++ test that fails as long as its bug is there.
#pragma once

#include <string>

#include "fuzz/campaign/sighting.h"

namespace prelaunch::fuzz {

// One source file, for GoogleTest: builds the call argument by argument, judges it, and expects no
// finding. `id` becomes the test's name, `description` a comment; both are made harmless.
std::string cpp_test(const OpInfo& op, const Trial& trial, const std::string& id,
                     const std::string& description);

}  // namespace prelaunch::fuzz
