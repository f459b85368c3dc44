// Looks for the bugs that are seeded into an op's kernel.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/campaign/replay.h"

namespace prelaunch::fuzz {

// What a bug gave itself away by.
struct Catch {
  std::string reason;  // a Reason, or what a sanitizer or the emulator said
  std::string by;      // the stored call's file; empty for a fuzzer
  double seconds = 0;
};

// One seeded bug, or the kernel without any.
struct Hunt {
  const OpInfo* op;
  std::string name, what;
  bool is_clean_kernel = false;
  std::size_t fault = 0;  // its number
  std::optional<Catch> corpus, fuzz;
};

// The clean kernel, then each bug of the op's, hunted with the accepted calls among `calls`. The
// clean kernel alone where they find something there already.
std::vector<Hunt> hunt_with_corpus(const OpInfo& op, const std::vector<StoredCall>& calls);

// Sets `fuzz` of each: what the op's fuzzer finds from an empty corpus in `limit`. As many at a
// time as there are cores; says how far it is.
void hunt_with_fuzzers(std::vector<Hunt>& hunts, std::uint64_t seed, std::chrono::seconds limit);

}  // namespace prelaunch::fuzz
