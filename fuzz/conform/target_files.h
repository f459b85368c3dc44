// The files that lie beside a target: <target>_seed_corpus.zip, <target>.dict, <target>.options.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/conform/build.h"

namespace prelaunch::fuzz {

// Sections of an options file, and what each sets.
using Options = std::map<std::string, std::map<std::string, std::string>>;

// Reads "[section]", "key = value" and "# comment" lines. A line that is none of them is added to
// `wrong`.
Options parse_options(std::string_view text, std::vector<std::string>& wrong);

// "-key=value" for each option of [libfuzzer].
std::vector<std::string> engine_flags(const Options& options);

// "key=value:" for each option of [asan].
std::string asan_options(const Options& options);

// Whether `name` may lie at the top of the outputs: a target of the promised ones, or a file
// beside one.
bool is_expected(const std::string& name, const std::vector<std::string>& targets);

// Files of `out` that do not belong there, and executables above all.
std::vector<std::string> check_outputs(const std::filesystem::path& out,
                                       const std::vector<std::string>& targets);

// Unpacks the seed corpus into `to`, which is created; what is wrong with it, if anything.
std::vector<std::string> unpack_seeds(const std::filesystem::path& zip,
                                      const std::filesystem::path& to);

}  // namespace prelaunch::fuzz
