// Where a result file of the proof's tools comes from: what every result file says of itself.
#pragma once

#include <nlohmann/json.hpp>

#include "kernels/common/provenance.h"

namespace prelaunch::fuzz {

inline nlohmann::ordered_json context_json(std::uint64_t seed) {
  const Provenance p = read_provenance(checkout());
  return {{"commit", p.commit}, {"dirty", p.dirty},           {"machine", p.machine},
          {"cpu", p.cpu},       {"cores", p.cores},           {"compiler", p.compiler},
          {"flags", p.flags},   {"sanitizers", p.sanitizers}, {"started", p.started},
          {"seed", seed}};
}

}  // namespace prelaunch::fuzz
