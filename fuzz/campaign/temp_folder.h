// What the campaign's tests share: a folder that goes when the test ends, and texts to put there.
#pragma once

#include <string>

#include "fuzz/json.h"
#include "fuzz/seeds.h"
#include "fuzz/temp_folder.h"

namespace prelaunch::fuzz {

inline const OpInfo& pack() { return *find_op("ulysses_pack"); }

// The text of one of the op's seeds.
inline std::string seed_text(std::string_view name) {
  for (const NamedCall& named : seeds(pack())) {
    if (named.name == name) return format_call(pack(), named);
  }
  return {};
}

}  // namespace prelaunch::fuzz
