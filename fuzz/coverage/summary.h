// How much of some sources ran.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prelaunch::fuzz {

struct Covered {
  std::uint64_t covered = 0, count = 0;
};

struct SourceCoverage {
  Covered lines, branches;
};

// Reads what `llvm-cov export -summary-only` printed of each of `sources`, in their order. Throws
// Untrusted where it printed anything else, or one of them is not listed or has no lines.
std::vector<SourceCoverage> read_summary(std::string_view json,
                                         const std::vector<std::string>& sources);

}  // namespace prelaunch::fuzz
