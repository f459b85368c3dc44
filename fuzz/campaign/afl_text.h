// What AFL++ writes, read as untrusted text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/campaign/log.h"

namespace prelaunch::fuzz {

// Of the file fuzzer_stats: edges are its features. Zeros where there is nothing yet.
LogProgress read_afl_stats(std::string_view text);

// The names of the seeds that end the target, or take too long: afl-fuzz tries each in a dry run,
// and leaves these out. Only names that content_name() can have given.
std::vector<std::string> ending_seeds(std::string_view log);
// Where the last of these tries begins, whose outcome may be still to come; 0 where there is none.
std::size_t last_dry_run(std::string_view log);

// Whether a file of a queue is one of the seeds.
bool is_seed_of_queue(std::string_view name);

// The SHA-1 in hexadecimal digits, by which libFuzzer names an input.
std::string content_name(std::string_view content);

}  // namespace prelaunch::fuzz
