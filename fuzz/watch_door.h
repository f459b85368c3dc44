// The witness that every tree has.
#pragma once

#include "fuzz/watch.h"

namespace prelaunch::fuzz {

// Counts what goes through the door; see door::counts().
inline constexpr Witness kDoorWitness{"the door", [] {
                                        const door::Counts counts = door::counts();
                                        return Seen{counts.launches, counts.allocations,
                                                    counts.copies, counts.device_sets, 0};
                                      }};

}  // namespace prelaunch::fuzz
