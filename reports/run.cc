#include "reports/run.h"

#include <fmt/format.h>

#include "reports/format.h"

namespace prelaunch::reports {
namespace {

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// Why "clean" cannot be believed; empty when it can.
std::vector<std::string> doubts(const Campaign& campaign, const std::optional<Triage>& triage) {
  std::vector<std::string> doubts;
  if (campaign.finding_count() > 0) {
    doubts.push_back(fmt::format("the campaign calls itself clean, yet lists {}",
                                 plural(campaign.finding_count(), "finding")));
  }
  if (triage && !triage->buckets.empty()) {
    doubts.push_back(fmt::format("the campaign calls itself clean, yet triage.json lists {}",
                                 plural(triage->buckets.size(), "bucket")));
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

Headline headline(const RunFiles& run) {
  Headline headline;
  if (run.campaign)
    headline = {run.campaign->verdict, run.campaign->reasons};
  else
    headline.reasons = {"no campaign was recorded (campaign.json is absent)"};

  std::vector<std::string> against = run.night.troubles;
  if (run.probe) append(against, run.probe->doubts());
  if (run.campaign && run.campaign->verdict == RunVerdict::kClean) {
    append(against, doubts(*run.campaign, run.triage));
  }
  if (run.night.interrupted) {
    against.insert(against.begin(), "the run was interrupted before its end");
  }
  if (!against.empty()) headline.verdict = RunVerdict::kUntrusted;
  headline.reasons.insert(headline.reasons.begin(), against.begin(), against.end());
  return headline;
}

}  // namespace prelaunch::reports
