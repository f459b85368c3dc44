#include "reports/night.h"

#include <fmt/format.h>

#include "reports/format.h"

namespace prelaunch::reports {
namespace {

constexpr const char* kSchema = "prelaunch.nightly/1";

// Why "clean" cannot be believed; empty when it can.
std::vector<std::string> doubts(const Campaign& campaign) {
  std::vector<std::string> doubts;
  if (campaign.finding_count() > 0) {
    doubts.push_back(fmt::format("the campaign calls itself clean, yet lists {}",
                                 plural(campaign.finding_count(), "finding")));
  }
  if (campaign.context.get("ended") == "false") doubts.push_back("the campaign did not end");
  if (campaign.targets.empty()) doubts.push_back("the campaign had no targets");
  for (const Target& target : campaign.targets) {
    if (target.executions == 0) {
      doubts.push_back(fmt::format("{} {} ran no call", target.op, target.profile));
    }
  }
  return doubts;
}

}  // namespace

std::string Night::to_json() const {
  const nlohmann::json json = {
      {"schema", kSchema}, {"interrupted", interrupted}, {"troubles", troubles}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Night parse_night(std::string_view text) {
  const nlohmann::json json = parse_json(text);
  const Node root(json);
  if (root.at("schema").text() != kSchema) {
    root.at("schema").unexpected(std::string("\"") + kSchema + "\"");
  }
  return {.interrupted = root.at("interrupted").boolean(), .troubles = root.at("troubles").texts()};
}

Headline headline(const std::optional<Campaign>& campaign, const Night& night) {
  Headline headline;
  if (campaign)
    headline = {campaign->verdict, campaign->reasons};
  else
    headline.reasons = {"no campaign was recorded (campaign.json is absent)"};

  std::vector<std::string> against = night.troubles;
  if (campaign && campaign->verdict == RunVerdict::kClean) {
    const auto more = doubts(*campaign);
    against.insert(against.end(), more.begin(), more.end());
  }
  if (!against.empty()) headline.verdict = RunVerdict::kUntrusted;
  if (night.interrupted) against.insert(against.begin(), "the run was interrupted before its end");
  headline.reasons.insert(headline.reasons.begin(), against.begin(), against.end());
  return headline;
}

}  // namespace prelaunch::reports
