// Nights that are killed at any moment, one after the other in the same checkout.
#pragma once

#include <cstdint>
#include <filesystem>

#include "fuzz/sabotage/sandbox.h"

namespace prelaunch::fuzz {

struct Kills {
  unsigned count;
  std::uint64_t seed;  // of when, and which process
};

// Starts nights and kills, with SIGKILL, the night itself or one of the processes below it. After
// each: every input and open finding that was whole in the work corpus is there unchanged, no
// process is left, and whatever campaign.json is there can be read. After all: a night that is left
// alone continues with all of them and tells of every finding (a bug is planted). Prints what it
// does, and each loss as a finding; false where there is one. Throws FileError, and Interrupted.
bool kill_nights(const std::filesystem::path& root, const NightPrograms& programs,
                 const Kills& kills);

}  // namespace prelaunch::fuzz
