// A shard: one task's share of a campaign that several tasks of a batch scheduler run. Shards know
// nothing of each other; what a shard does follows from its index, their count and --seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace prelaunch::fuzz {

inline constexpr unsigned kMaxShards = 4096;
// A worker's seed and those of its restarts are consecutive; so many are its own.
inline constexpr std::uint64_t kSeedsPerWorker = 32;
// Workers of a shard that have seeds of their own, far above any real number.
inline constexpr std::uint64_t kMaxWorkers = 4096;

struct Shard {
  unsigned index = 0, count = 1;  // index < count <= kMaxShards

  bool operator==(const Shard&) const = default;
};

// "2/8", and back. Throws FileError, whose message says what was expected.
std::string to_string(const Shard& shard);
Shard parse_shard(const std::string& text);

// Whether the item of this index is the campaign's own: each item is of exactly one shard, and
// without shards of the one campaign.
bool in_share(std::size_t item, const std::optional<Shard>& shard);

// The first seed of a worker: 31 bits, never 0, as libFuzzer takes them. No two workers of a
// campaign's shards share one, restarts included.
std::uint64_t worker_seed(std::uint64_t seed, const std::optional<Shard>& shard,
                          std::uint64_t worker);

}  // namespace prelaunch::fuzz
