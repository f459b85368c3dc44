#include "fuzz/watch_door.h"

namespace prelaunch::fuzz {

std::span<const Witness> witnesses() { return {&kDoorWitness, 1}; }

}  // namespace prelaunch::fuzz
