#include "fuzz/campaign/shard.h"

#include <fmt/format.h>

#include <charconv>

#include "fuzz/files.h"
#include "kernels/common/choices.h"

namespace prelaunch::fuzz {
namespace {

// libFuzzer's generator works modulo 2^31 - 1: seeds that differ by it are the same, and it takes
// 0, which means 'choose one', for 1. What is left is cut into the workers' ranges.
constexpr std::uint64_t kSeeds = 0x7ffffffe;
constexpr std::uint64_t kRanges = kSeeds / kSeedsPerWorker;
static_assert(kMaxShards * kMaxWorkers <= kRanges, "shards would run out of ranges");

// The whole of `text` as a number of up to four digits.
std::optional<unsigned> small_number(std::string_view text) {
  unsigned value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  const bool whole = !text.empty() && text.size() <= 4 && parsed.ptr == end;
  return whole ? std::optional(value) : std::nullopt;
}

// Far apart for seeds that are near each other.
std::uint64_t first_range(std::uint64_t seed) { return Choices(seed).below(0) % kRanges; }

}  // namespace

std::string to_string(const Shard& shard) { return fmt::format("{}/{}", shard.index, shard.count); }

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string_view view = text;
  const auto index = small_number(view.substr(0, slash));
  const auto count = slash == text.npos ? std::nullopt : small_number(view.substr(slash + 1));
  if (index && count && *index < *count && *count <= kMaxShards) return {*index, *count};
  throw FileError(fmt::format("--shard: expected I/N with 0 <= I < N{}, like 2/8, got {}",
                              count && *count > kMaxShards ? fmt::format(" <= {}", kMaxShards) : "",
                              text));
}

bool in_share(std::size_t item, const std::optional<Shard>& shard) {
  return !shard || item % shard->count == shard->index;
}

std::uint64_t worker_seed(std::uint64_t seed, const std::optional<Shard>& shard,
                          std::uint64_t worker) {
  if (!shard) return (seed * 1000 + worker * 50) % 0x7fffffff + 1;
  const std::uint64_t range = first_range(seed) + shard->index * kMaxWorkers + worker;
  return range % kRanges * kSeedsPerWorker + 1;
}

}  // namespace prelaunch::fuzz
