// What a target counts. Kept in the process; where the campaign names a file in PRELAUNCH_STATS,
// kept in that file's pages instead, so that the counts survive whatever ends the process.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace prelaunch::fuzz {

inline constexpr std::size_t kMaxRules = 512;
// Entries of an op's quarantine that are counted by themselves; the last counts for those after it.
inline constexpr std::size_t kMostQuarantined = 16;

struct Stats {
  std::uint64_t executions = 0;
  std::uint64_t accepted = 0;
  std::uint64_t rejected = 0;
  // Accepted calls whose kernel ran.
  std::uint64_t executed = 0;
  // Calls that were valid by construction, and sole violations: those whose verdict was known. The
  // others are wild.
  std::uint64_t valid = 0;
  std::uint64_t violations = 0;
  // Calls that were not judged, by the first entry that they are like: see fuzz/quarantine.h.
  std::array<std::uint64_t, kMostQuarantined> quarantined{};
  // Calls looked at for this (see is_repeated()), and those that had come shortly before: nearly
  // all, where a generator is stuck.
  std::uint64_t sampled = 0;
  std::uint64_t repeated = 0;
  std::array<std::uint64_t, kMaxRules> fired{};

  Stats& operator+=(const Stats& other) {
    executions += other.executions;
    accepted += other.accepted;
    rejected += other.rejected;
    executed += other.executed;
    valid += other.valid;
    violations += other.violations;
    for (std::size_t i = 0; i < quarantined.size(); ++i) quarantined[i] += other.quarantined[i];
    sampled += other.sampled;
    repeated += other.repeated;
    for (std::size_t i = 0; i < fired.size(); ++i) fired[i] += other.fired[i];
    return *this;
  }
};

// The counters of this process. Maps the campaign's file on first use; a file that cannot be mapped
// ends the process with a message, because a campaign without counts cannot be trusted. A process
// that counts for a campaign ends with the one that started it.
Stats& stats();

}  // namespace prelaunch::fuzz
