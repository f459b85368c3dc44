#include "fuzz/proof/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "fuzz/campaign/fuzzer.h"
#include "fuzz/campaign/tool.h"
#include "fuzz/proof/tables.h"

namespace prelaunch::fuzz {
namespace {

using planted::Kind;

// Fuzzers take 32 bits, and draw their own for 0.
std::uint64_t fuzzer_seed(Choices& choose) {
  return 1 + choose.below(std::numeric_limits<std::uint32_t>::max());
}

Probe probe_rule(const OpInfo& op, Choices& choose) {
  const std::size_t rule = choose.below(op.rules.size());
  return {{&op, Profile::kValidate, {Kind::kDeletion, rule}, fuzzer_seed(choose)},
          fmt::format("rule {} left out", numbered_id(op, rule)),
          {}};
}

Probe probe_kernel(const OpInfo& op, Choices& choose) {
  const auto faults = faults_of(op.name);
  if (faults.empty()) throw Untrusted(fmt::format("{}: no bug of its kernel to plant", op.name));
  const std::size_t fault = choose.below(faults.size());
  return {{&op, Profile::kExecute, {Kind::kFault, fault}, fuzzer_seed(choose)},
          fmt::format("{}: {}", faults[fault].name, faults[fault].what),
          {}};
}

}  // namespace

std::vector<Probe> choose_probes(const std::vector<const OpInfo*>& ops, std::uint64_t seed) {
  Choices choose(seed);
  std::vector<Probe> out;
  for (const OpInfo* op : all_ops()) {
    Probe of_rules = probe_rule(*op, choose), of_kernel = probe_kernel(*op, choose);
    if (std::find(ops.begin(), ops.end(), op) == ops.end()) continue;
    out.push_back(std::move(of_rules));
    out.push_back(std::move(of_kernel));
  }
  return out;
}

void run_probes(std::vector<Probe>& probes, std::chrono::seconds limit) {
  std::vector<PlantedRun> runs;
  for (const Probe& probe : probes) runs.push_back(probe.run);
  std::vector<PlantedResult> results = run_planted(runs, limit);
  for (std::size_t i = 0; i < probes.size(); ++i) probes[i].result = std::move(results[i]);
}

std::string sentence_of_missed(const Probe& probe, std::chrono::seconds limit) {
  return fmt::format("{} did not find the bug planted to test it within {} s ({}: {})",
                     target_name(*probe.run.op, probe.run.profile), limit.count(),
                     planted::to_string(probe.run.planted), probe.what);
}

nlohmann::ordered_json probes_json(const std::vector<Probe>& probes, std::uint64_t seed,
                                   std::chrono::seconds limit) {
  using Json = nlohmann::ordered_json;
  Json targets = Json::array();
  for (const auto& [run, what, result] : probes) {
    targets.push_back({{"op", run.op->name},
                       {"profile", to_string(run.profile)},
                       {"planted", planted::to_string(run.planted)},
                       {"what", what},
                       {"found", result.found},
                       {"reason", result.found ? Json(result.reason) : Json(nullptr)},
                       {"seconds", result.seconds},
                       {"limit", limit.count()}});
  }
  return {{"schema", "prelaunch.probe/1"}, {"seed", seed}, {"targets", targets}};
}

}  // namespace prelaunch::fuzz
