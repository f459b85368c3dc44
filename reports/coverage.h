// How much of the contracts corpus and campaign cover: coverage.json, as `llvm-cov export
// -summary-only` writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/common/json_node.h"

namespace prelaunch::reports {

struct Covered {
  std::uint64_t covered = 0, count = 0;  // covered <= count
  bool operator==(const Covered&) const = default;
};

struct CoveredFile {
  std::string name;  // from "kernels/" on, wherever the checkout lies
  Covered lines, branches;
};

struct Coverage {
  std::vector<CoveredFile> files;  // in the order of the file
};

// Throws JsonError.
Coverage parse_coverage(std::string_view text);

}  // namespace prelaunch::reports
