// The smallest call that shows a finding: as few differences as possible from the op's default
// valid call, then small tensors.
#pragma once

#include "fuzz/campaign/sighting.h"

namespace prelaunch::fuzz {

// What small means; smaller compares less.
struct CallSize {
  std::size_t differences = 0;  // properties in which the call differs from the default one
  double elements = 0;          // of its tensors
  double numbers = 0;           // magnitudes of sizes, strides and integers, summed

  friend auto operator<=>(const CallSize&, const CallSize&) = default;
};
CallSize size_of(const OpInfo& op, const Call& call);

// A call of the same op that shows `seen` as `trial` does, and is not larger.
//
// Whether a verdict is wrong is known only of calls that the op's generator or its seeds vouch for:
// for such a finding the smallest of those with the same expectation is taken. Any other finding is
// made smaller step by step, as long as it shows, from the call itself and from a case of the op
// that shows it too. Throws as judge_each() does.
Trial shrink(const OpInfo& op, const Trial& trial, const Sighting& seen);

// What it takes to provoke the bug behind a fault or a wrong result, however it shows: the smallest
// call that still faults or has a wrong result of any kind.
Trial provoke(const OpInfo& op, const Trial& trial);

}  // namespace prelaunch::fuzz
