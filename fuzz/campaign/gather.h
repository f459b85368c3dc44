// Brings the findings of a campaign's folder into another one.
#pragma once

#include <set>

#include "fuzz/campaign/merge.h"

namespace prelaunch::fuzz {

// Copies the calls of a folder's findings to OUT/findings, each id once (those in `taken` are there
// already), and makes the findings in folder.result point at the copies. Beside the findings that
// its campaign.json lists it takes what a killed campaign leaves: calls that no campaign.json
// lists, and inputs that ended a fuzzer and became no call. What cannot be read is a reason in
// folder.result. Throws FileError when OUT cannot be written.
void gather_findings(MergedFolder& folder, const std::filesystem::path& out,
                     std::set<std::string>& taken);

// The finding that `input`, a file of a fuzzer that ended, becomes in OUT/findings; `log` is what
// that fuzzer said. Throws FileError.
Finding gather_input(const OpInfo& op, Profile profile, const std::filesystem::path& input,
                     std::string_view log, const std::filesystem::path& out);

// The part of a log that reports on the input of this name: what was said before it was written,
// and after the input before it was.
std::string_view report_on(std::string_view log, std::string_view input);

}  // namespace prelaunch::fuzz
