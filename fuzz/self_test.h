// A target that is blind finds nothing, and looks like one that has nothing to find. Each is asked,
// by a campaign that sets PRELAUNCH_SELF_TEST, to show on examples that what it is made of works:
//
//   witness      every witness sees an allocation, a copy, a device set and a launch
//   oracle       a call that is judged against a wrong expectation is a finding
//   sanitizers   AddressSanitizer ends a process that reads past a heap buffer, UBSan one that
//                overflows an integer
//   memory       a kernel that is given less memory than its call says ends its process with a
//                report, or on a GPU changes bytes that it must not (targets that execute)
#pragma once

#include <optional>
#include <string>

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

// What does not work, in one sentence; nothing when all does.
std::optional<std::string> self_test(const OpInfo& op, Profile profile);

// What the program says last when nothing is wrong, and before the sentence when something is.
inline constexpr std::string_view kSelfTestPassed = "prelaunch self-test passed";
inline constexpr std::string_view kSelfTestFailed = "prelaunch self-test failed: ";

// Where the environment asks for it, tests and ends the process: 0, or 3 with the sentence.
void self_test_if_asked(const OpInfo& op, Profile profile);

}  // namespace prelaunch::fuzz
