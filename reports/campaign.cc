#include "reports/campaign.h"

#include <numeric>

#include "reports/schema.h"

namespace prelaunch::reports {
namespace {

constexpr const char* kSchema = "prelaunch.campaign/1";

RunVerdict read_verdict(const Node& node) {
  const std::string text = node.text();
  for (const auto verdict : {RunVerdict::kClean, RunVerdict::kFindings, RunVerdict::kUntrusted}) {
    if (text == to_string(verdict)) return verdict;
  }
  node.unexpected("\"clean\", \"findings\" or \"untrusted\"");
}

std::string read_profile(const Node& node) {
  const std::string text = node.text();
  if (text != "validate" && text != "execute") node.unexpected("\"validate\" or \"execute\"");
  return text;
}

Finding read_finding(const Node& node) {
  const auto rule = node.find("rule");
  const auto detail = node.find("detail");
  return {.id = node.at("id").text(),
          .reason = node.at("reason").text(),
          .rule = rule ? std::optional(rule->text()) : std::nullopt,
          .detail = detail ? detail->text() : "",
          .call = node.at("call").text(),
          .replay = node.at("replay").text()};
}

std::optional<std::uint64_t> read_optional_count(const Node& object, const char* key) {
  const auto node = object.find(key);
  return node ? std::optional(node->count()) : std::nullopt;
}

Target read_target(const Node& node) {
  Target target{.op = node.at("op").text(),
                .profile = read_profile(node.at("profile")),
                .engine = node.at("engine").text(),
                .executions = node.at("executions").count(),
                .accepted = node.at("accepted").count(),
                .rejected = node.at("rejected").count(),
                .seconds = node.at("seconds").amount(),
                .executions_per_second = node.at("executions_per_second").amount(),
                .corpus = read_optional_count(node, "corpus"),
                .features = read_optional_count(node, "features"),
                .rules_fired = {},
                .findings = {}};
  for (const auto& [id, fired] : node.at("rules_fired").members()) {
    target.rules_fired.emplace(id, fired.count());
  }
  for (const Node& finding : node.at("findings").items()) {
    target.findings.push_back(read_finding(finding));
  }
  return target;
}

std::string read_state(const Node& node) {
  const std::string text = node.text();
  if (text != "tolerated" && text != "quarantined") {
    node.unexpected("\"tolerated\" or \"quarantined\"");
  }
  return text;
}

KnownFinding read_known(const Node& node) {
  return {.id = node.at("id").text(),
          .op = node.at("op").text(),
          .state = read_state(node.at("state")),
          .reference = node.at("reference").text(),
          .reason = node.at("reason").text(),
          .detail = node.at("detail").text(),
          .seen = node.at("seen").count()};
}

}  // namespace

const char* to_string(RunVerdict verdict) {
  switch (verdict) {
    case RunVerdict::kClean:
      return "clean";
    case RunVerdict::kFindings:
      return "findings";
    case RunVerdict::kUntrusted:
      break;
  }
  return "untrusted";
}

std::uint64_t Campaign::executions() const {
  return std::accumulate(targets.begin(), targets.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Target& t) { return sum + t.executions; });
}

std::uint64_t Campaign::finding_count() const {
  return std::accumulate(
      targets.begin(), targets.end(), std::uint64_t{0},
      [](std::uint64_t sum, const Target& t) { return sum + t.findings.size(); });
}

Campaign parse_campaign(std::string_view text) {
  const nlohmann::json json = parse_json(text);
  const Node root(json);
  expect_text(root.at("schema"), kSchema);
  Campaign campaign{.verdict = read_verdict(root.at("verdict")),
                    .reasons = root.at("reasons").texts(),
                    .context = RunContext(root.at("context")),
                    .targets = {},
                    .known = {}};
  for (const Node& target : root.at("targets").items()) {
    campaign.targets.push_back(read_target(target));
  }
  const auto known = root.find("known");
  if (!known) return campaign;
  for (const Node& finding : known->items()) campaign.known.push_back(read_known(finding));
  return campaign;
}

std::map<std::string, std::map<std::string, std::uint64_t>> rules_by_op(const Campaign& campaign) {
  std::map<std::string, std::map<std::string, std::uint64_t>> ops;
  for (const Target& target : campaign.targets) {
    auto& rules = ops[target.op];
    for (const auto& [id, fired] : target.rules_fired) rules[id] += fired;
  }
  return ops;
}

}  // namespace prelaunch::reports
