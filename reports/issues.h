// What a run found, in the form in which people read it: a bucket where there is one, and each
// finding that no bucket holds by itself. So a finding is shown whatever became of its triage.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/run.h"

namespace prelaunch::reports {

// kUncompared: there is no previous run.
enum class Novelty { kUncompared, kNew, kSeenBefore };

struct Issue {
  // With a finding by itself in the places of call, replay and so on: `test` is empty then.
  Bucket bucket;
  std::optional<std::string> profile;  // of a finding by itself; a bucket may hold both
  Novelty novelty = Novelty::kUncompared;

  bool is_bucket() const { return !profile.has_value(); }
};

// New ones first, otherwise in the order of the files.
std::vector<Issue> list_issues(const RunFiles& run);
// "3 buckets", "17 findings", "2 buckets and 1 finding by itself"
std::string count_text(const std::vector<Issue>& issues);
std::size_t count_new(const std::vector<Issue>& issues);

// What the previous run found in the ops of this campaign and this one did not, known findings left
// out: the ledger has taken them over.
std::vector<Issue> list_gone(const RunFiles& run);

}  // namespace prelaunch::reports
