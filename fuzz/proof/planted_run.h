// Fuzzers with something planted, run until they find it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "fuzz/op_info.h"
#include "fuzz/proof/planted.h"

namespace prelaunch::fuzz {

struct PlantedRun {
  const OpInfo* op;
  Profile profile;
  planted::Planted planted;
  std::uint64_t seed;
};

struct PlantedResult {
  bool found = false;
  std::string reason;  // as fuzz/campaign/log.h names it
  double seconds = 0;  // until the process ended
};

// Runs each from an empty corpus, as many at a time as there are cores, for `limit` at most; says
// on standard error how far it is. Throws FileError where a fuzzer cannot be started, or ends
// otherwise than by a finding or its time.
std::vector<PlantedResult> run_planted(const std::vector<PlantedRun>& runs,
                                       std::chrono::seconds limit);

}  // namespace prelaunch::fuzz
