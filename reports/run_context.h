// Where and how a run was made: the "context" object of campaign.json and bench.json.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/common/json_node.h"

namespace prelaunch::reports {

// In the order of the page: the known keys first (commit, dirty, machine, cpu, ...), then any other
// whose value is not nested. Google Benchmark's own names are read as ours (host_name is the
// machine, num_cpus the cores, date the start).
class RunContext {
 public:
  RunContext() = default;
  // Throws JsonError, also for a known key whose value is an object; only a shard is one.
  explicit RunContext(const Node& context);

  // Empty when the key is absent or null.
  std::string get(std::string_view key) const;
  const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace prelaunch::reports
