// How soon changes of a contract are noticed without any corpus.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/proof/score.h"

namespace prelaunch::fuzz {

struct MutantFuzz {
  unsigned sample = 50, seconds = 20;
  std::uint64_t seed = 1;
};

// Of those that were noticed: the middle one's seconds, and the last one's.
struct Times {
  std::size_t found = 0;
  double median = 0, worst = 0;
};

struct FuzzScore {
  std::size_t sample = 0;
  Times fuzz;                       // by the op's fuzzer, from an empty corpus
  Times random;                     // by the same generator, with nothing to guide it
  std::vector<std::string> missed;  // by the fuzzer
};

FuzzScore fuzz_changes(const OpInfo& op, std::vector<Change> changes, const MutantFuzz& how);

}  // namespace prelaunch::fuzz
