// Probes: whether fuzzers that find nothing would find something. In each target one bug is
// planted, another one every night, which its fuzzer must find from nothing.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fuzz/proof/planted_run.h"

namespace prelaunch::fuzz {

struct Probe {
  PlantedRun run;
  std::string what;  // is planted, in one line: "rule ulysses_pack.qkv.cuda left out"
  PlantedResult result;
};

// For each target of `ops`: a rule of the op's left out where calls are only validated, a bug of
// its kernel's where they are executed. `seed` decides, for an op whatever the others are. Throws
// Untrusted for an op without bugs.
std::vector<Probe> choose_probes(const std::vector<const OpInfo*>& ops, std::uint64_t seed);

// Sets the results: what each finds in `limit`. See run_planted().
void run_probes(std::vector<Probe>& probes, std::chrono::seconds limit);

// "ulysses_pack_validate did not find the bug planted to test it within 60 s (deletion:17: ...)".
std::string sentence_of_missed(const Probe& probe, std::chrono::seconds limit);

// prelaunch.probe/1: "seed", and of each target its "op" and "profile", what was "planted" as
// PRELAUNCH_PLANTED names it, "what" that is, whether it was "found", the "reason" that was
// reported (null where none was), after how many "seconds", of a "limit".
nlohmann::ordered_json probes_json(const std::vector<Probe>& probes, std::uint64_t seed,
                                   std::chrono::seconds limit);

}  // namespace prelaunch::fuzz
