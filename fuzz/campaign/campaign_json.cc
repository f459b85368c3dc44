#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fuzz/campaign/campaign.h"

namespace prelaunch::fuzz {
namespace {

using Json = nlohmann::ordered_json;

Json shard_json(const std::optional<Shard>& shard) {
  return shard ? Json{{"index", shard->index}, {"count", shard->count}} : Json(nullptr);
}

Json context_json(const CampaignResult& result) {
  const Provenance& c = result.provenance;
  return {{"commit", c.commit},
          {"dirty", c.dirty},
          {"machine", c.machine},
          {"cpu", c.cpu},
          {"cores", c.cores},
          {"gpu", nullptr},
          {"compiler", c.compiler},
          {"flags", c.flags},
          {"sanitizers", c.sanitizers},
          {"seed", result.seed},
          {"started", c.started},
          {"seconds", result.seconds},
          {"interrupted", result.interrupted},
          {"ended", result.ended},
          {"shard", shard_json(result.shard)},
          {"merged", result.merged.empty() ? Json(nullptr) : Json(result.merged)}};
}

Json finding_json(const Finding& finding) {
  return {{"id", finding.id},
          {"reason", finding.reason},
          {"rule", finding.rule.empty() ? Json(nullptr) : Json(finding.rule)},
          {"detail", finding.detail},
          {"call", finding.call},
          {"replay", finding.replay}};
}

Json known_json(const KnownState& known) {
  return {{"id", known.bucket},
          {"op", std::string(known.op->name)},
          {"state", known.quarantined ? "quarantined" : "tolerated"},
          {"reference", known.reference},
          {"reason", known.reason},
          {"detail", known.detail},
          {"seen", known.seen}};
}

Json target_json(const TargetResult& target) {
  const Stats& stats = target.stats;
  const double rate = static_cast<double>(stats.executions) / target.seconds;
  Json out = {{"op", std::string(target.op->name)},
              {"profile", std::string(to_string(target.profile))},
              {"engine", std::string(to_string(target.engine))},
              {"executions", stats.executions},
              {"seconds", target.seconds},
              {"executions_per_second", std::isfinite(rate) ? rate : 0},
              {"accepted", stats.accepted},
              {"rejected", stats.rejected},
              {"executed", stats.executed},
              {"valid", stats.valid},
              {"violations", stats.violations},
              {"corpus", target.corpus},
              {"features", target.features}};
  Json& fired = out["rules_fired"] = Json::object();
  for (std::size_t i = 0; i < target.op->rules.size(); ++i) {
    Json& count = fired[full_id(*target.op, i)];  // two entries may share an id
    count = (count.is_null() ? 0 : count.get<std::uint64_t>()) + stats.fired[i];
  }
  out["findings"] = Json::array();
  for (const Finding& finding : target.findings) out["findings"].push_back(finding_json(finding));
  return out;
}

}  // namespace

bool CampaignResult::has_findings() const {
  return std::any_of(targets.begin(), targets.end(),
                     [](const TargetResult& target) { return !target.findings.empty(); });
}

std::string_view CampaignResult::verdict() const {
  return !untrusted.empty() ? "untrusted" : has_findings() ? "findings" : "clean";
}

int CampaignResult::exit_code() const {
  if (interrupted) return 130;
  return !untrusted.empty() ? 3 : has_findings() ? 1 : 0;
}

std::string campaign_json(const CampaignResult& result) {
  Json out = {{"schema", "prelaunch.campaign/1"}, {"verdict", std::string(result.verdict())}};
  out["reasons"] = result.untrusted;
  out["context"] = context_json(result);
  out["known"] = Json::array();
  for (const KnownState& known : result.known) out["known"].push_back(known_json(known));
  out["targets"] = Json::array();
  for (const TargetResult& target : result.targets) out["targets"].push_back(target_json(target));
  return out.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace prelaunch::fuzz
