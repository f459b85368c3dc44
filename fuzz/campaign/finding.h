// Findings: from the input that ended a fuzzer to a call that anyone can read and replay.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/log.h"

namespace prelaunch::fuzz {

// The inputs that ended a fuzzer: files whose names begin with `prefix` and a dash.
std::vector<std::filesystem::path> artifacts_of(const std::filesystem::path& prefix);

// Turns the input into <folder of the input>/<id>.json, with what is known about its verdict, and
// removes it. Throws FileError.
Finding keep_finding(const OpInfo& op, Profile profile, const std::filesystem::path& input,
                     const LogFinding& log);

// The id of a finding: the same for two inputs that show the same bug, as far as its text tells.
std::string finding_id(const OpInfo& op, Profile profile, const LogFinding& log);

// The same text has the same on every machine.
std::uint32_t text_hash(std::string_view text);

// What the "why" of a stored finding says of it: "reason: detail". Anybody may have written it: one
// that does not begin with a reason is all detail, of a finding whose reason is "finding".
struct Told {
  std::string reason, detail;
};
Told told_by(std::string_view why);

// Whether `text` may be a finding's id, and so the name of a file: letters, digits, '_' and '-'.
bool is_finding_id(std::string_view text);

// Adds a finding unless one of the same id is there.
void add_finding(Finding finding, std::vector<Finding>& found);

// `text` as one word of a shell.
std::string shell_word(const std::string& text);

// The program that turns addresses into lines in a sanitizer's report; empty when there is none.
std::string symbolizer();

}  // namespace prelaunch::fuzz
