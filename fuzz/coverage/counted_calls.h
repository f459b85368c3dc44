// Judges calls by contracts that count which of their lines and branches run.
#pragma once

#include <filesystem>

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

struct CallCounts {
  std::size_t stored = 0, found = 0;
};

// Judges the calls stored in `corpus`/<op>, and the inputs that campaigns found, which lie in
// `corpus`/.work/<op>_<profile>. No kernel runs. What is no input of a fuzzer's, because it is
// larger than those are, is left out. Throws FileError where something cannot be read.
CallCounts judge_calls(const OpInfo& op, const std::filesystem::path& corpus);

// Writes what has been counted so far. Throws FileError.
void write_counts(const std::filesystem::path& path);

}  // namespace prelaunch::fuzz
