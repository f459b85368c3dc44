#include "reports/issues.h"

#include <algorithm>
#include <set>
#include <utility>

#include "reports/format.h"

namespace prelaunch::reports {
namespace {

using Names = std::set<std::string>;

Issue by_itself(const Target& target, const Finding& finding) {
  return {.bucket = {.id = finding.id,
                     .op = target.op,
                     .reason = finding.reason,
                     .rule = finding.rule,
                     .description = finding.detail,
                     .call = finding.call,
                     .test = {},
                     .replay = finding.replay,
                     .reproduced = true,
                     .findings = {finding.id},
                     .also = {}},
          .profile = target.profile};
}

std::vector<Issue> list(const Campaign& campaign, const std::optional<Triage>& triage) {
  std::vector<Issue> issues;
  Names held;
  for (const Bucket& bucket : triage.value_or(Triage{}).buckets) {
    held.insert(bucket.findings.begin(), bucket.findings.end());
    issues.push_back({.bucket = bucket, .profile = {}});
  }
  for (const Target& target : campaign.targets) {
    for (const Finding& finding : target.findings) {
      if (!held.contains(finding.id)) issues.push_back(by_itself(target, finding));
    }
  }
  return issues;
}

// The names under which a run's issues are met again in another. Two buckets are the same by their
// own ids; where one side has no bucket, the ids of findings tell.
class Index {
 public:
  explicit Index(const std::vector<Issue>& issues) {
    for (const Issue& issue : issues) {
      const Bucket& bucket = issue.bucket;
      if (issue.is_bucket()) {
        buckets_.insert(bucket.id);
        held_.insert(bucket.findings.begin(), bucket.findings.end());
      } else {
        single_.insert(bucket.id);
      }
    }
  }

  bool has(const Issue& issue) const {
    const Bucket& bucket = issue.bucket;
    if (!issue.is_bucket()) return single_.contains(bucket.id) || held_.contains(bucket.id);
    return buckets_.contains(bucket.id) ||
           std::ranges::any_of(bucket.findings,
                               [&](const std::string& id) { return single_.contains(id); });
  }

 private:
  Names buckets_, held_, single_;
};

Names known_ids(const Campaign& campaign) {
  Names ids;
  for (const KnownFinding& finding : campaign.known) ids.insert(finding.id);
  return ids;
}

bool is_known(const Issue& issue, const Names& known) {
  return known.contains(issue.bucket.id) ||
         std::ranges::any_of(issue.bucket.findings,
                             [&](const std::string& id) { return known.contains(id); });
}

Names ops_of(const Campaign& campaign) {
  Names ops;
  for (const Target& target : campaign.targets) ops.insert(target.op);
  return ops;
}

}  // namespace

std::vector<Issue> list_issues(const RunFiles& run) {
  if (!run.campaign) return {};
  std::vector<Issue> issues = list(*run.campaign, run.triage);
  if (!run.previous) return issues;
  const Index before(list(run.previous->campaign, run.previous->triage));
  std::vector<Issue> fresh, seen;
  for (Issue& issue : issues) {
    issue.novelty = before.has(issue) ? Novelty::kSeenBefore : Novelty::kNew;
    (issue.novelty == Novelty::kNew ? fresh : seen).push_back(std::move(issue));
  }
  fresh.insert(fresh.end(), seen.begin(), seen.end());
  return fresh;
}

std::string count_text(const std::vector<Issue>& issues) {
  const auto buckets = static_cast<std::size_t>(std::ranges::count_if(issues, &Issue::is_bucket));
  if (buckets == 0) return plural(issues.size(), "finding");
  if (buckets == issues.size()) return plural(buckets, "bucket");
  return plural(buckets, "bucket") + " and " + plural(issues.size() - buckets, "finding") +
         (issues.size() - buckets == 1 ? " by itself" : " by themselves");
}

std::size_t count_new(const std::vector<Issue>& issues) {
  return static_cast<std::size_t>(std::ranges::count(issues, Novelty::kNew, &Issue::novelty));
}

std::vector<Issue> list_gone(const RunFiles& run) {
  if (!run.campaign || !run.previous) return {};
  const Index now(list(*run.campaign, run.triage));
  const Names known = known_ids(*run.campaign), ops = ops_of(*run.campaign);
  std::vector<Issue> gone = list(run.previous->campaign, run.previous->triage);
  std::erase_if(gone, [&](const Issue& issue) {
    return now.has(issue) || is_known(issue, known) || !ops.contains(issue.bucket.op);
  });
  return gone;
}

}  // namespace prelaunch::reports
