#include "reports/run_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels/common/duration.h"

namespace prelaunch::reports {
namespace {

struct Known {
  const char* key;
  const char* google;  // what Google Benchmark calls it, if it does
};

constexpr Known kKnown[] = {
    {"commit", nullptr},   {"dirty", nullptr},   {"machine", "host_name"}, {"cpu", nullptr},
    {"cores", "num_cpus"}, {"gpu", nullptr},     {"driver", nullptr},      {"clocks", nullptr},
    {"compiler", nullptr}, {"flags", nullptr},   {"sanitizers", nullptr},  {"seed", nullptr},
    {"started", "date"},   {"seconds", nullptr}, {"shard", nullptr},       {"merged", nullptr},
};

// Each of these is many lines of detail that no one reads in the morning.
bool is_noise(const std::string& key) {
  return key == "executable" || key == "json_schema_version" || key == "library_version";
}

// As --shard spells it.
std::string shard_text(const Node& value) {
  return fmt::format("{}/{}", value.at("index").count(), value.at("count").count());
}

std::string shown(std::string_view key, const Node& value) {
  if (key == "shard") return shard_text(value);
  return key == "seconds" ? format_duration(value.amount()) : value.scalar_text();
}

}  // namespace

RunContext::RunContext(const Node& context) {
  std::set<std::string> taken;
  for (const auto& [key, google] : kKnown) {
    auto value = context.find(key);
    if (!value && google != nullptr) value = context.find(google);
    if (value) entries_.emplace_back(key, shown(key, *value));
    taken.insert(key);
    if (google != nullptr) taken.insert(google);
  }
  for (const auto& [key, value] : context.members()) {
    if (!taken.contains(key) && !is_noise(key) && value.is_scalar()) {
      entries_.emplace_back(key, value.scalar_text());
    }
  }
}

std::string RunContext::get(std::string_view key) const {
  const auto found =
      std::ranges::find(entries_, key, [](const auto& entry) { return entry.first; });
  return found == entries_.end() ? std::string() : found->second;
}

}  // namespace prelaunch::reports
