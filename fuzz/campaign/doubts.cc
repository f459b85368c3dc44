#include "fuzz/campaign/doubts.h"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/witness.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

// Of fewer calls looked at nothing is said; of more, less than half may be repetitions.
constexpr std::uint64_t kLeastSampled = 100;

}  // namespace

void Doubts::about_programs(const std::vector<TargetResult>& targets) {
  for (const OpInfo* op : options_.ops) {
    if (auto blind = blind_witness(*op)) add("a witness failed its self-test: " + *blind);
  }
  std::vector<fs::path> programs;
  for (const TargetResult& target : targets) {
    if (is_there(target)) programs.push_back(folders_.program(target));
  }
  for (const fs::path& program : programs) {
    if (auto doubt = stale(program)) add(*doubt);
  }
  const fs::path logs = options_.out / "logs";
  for (std::string& failed : failed_self_tests(programs, options_.jobs, logs)) {
    add(std::move(failed));
  }
}

void Doubts::about_targets(const std::vector<TargetResult>& targets) {
  for (const TargetResult& target : targets) {
    if (is_there(target)) about_counts(target);
  }
}

void Doubts::about_counts(const TargetResult& target) {
  const Stats& stats = target.stats;
  const std::string name = target_name(*target.op, target.profile);
  if (stats.accepted == 0 || stats.rejected == 0) {
    add(fmt::format("{} executed {} accepted and {} rejected calls", name, stats.accepted,
                    stats.rejected));
  } else if (target.profile == Profile::kExecute && stats.executed == 0) {
    add(fmt::format("{} ran no kernel", name));
  }
  if (stats.sampled >= kLeastSampled && stats.repeated * 2 > stats.sampled) {
    add(fmt::format("{} tries the same few calls again and again ({} of {} looked at)", name,
                    stats.repeated, stats.sampled));
  }
}

void Doubts::about_clocks() {
  if (auto doubt = clocks_.doubt()) add(*doubt);
}

void Doubts::about_disks() {
  for (const fs::path& folder : {options_.out, folders_.findings().parent_path()}) {
    const auto doubt = full_disk(folder);
    if (!doubt) continue;
    const std::string disk = doubt->substr(0, doubt->find('('));  // how full it is changes
    const bool known =
        std::any_of(untrusted_.begin(), untrusted_.end(),
                    [&disk](const std::string& other) { return other.starts_with(disk); });
    if (!known) add(*doubt);
  }
}

bool Doubts::is_there(const TargetResult& target) const {
  return is_executable(folders_.program(target));
}

}  // namespace prelaunch::fuzz
