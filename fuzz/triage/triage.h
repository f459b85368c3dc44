// From the findings of a campaign's folder to one short report for each bug.
#pragma once

#include <filesystem>

#include "fuzz/triage/bucket.h"

namespace prelaunch::fuzz {

struct Triage {
  double seconds = 0;
  std::vector<Bucket> buckets;
  std::vector<std::string> unreadable;  // findings whose call cannot be read, a line each

  // 3 where a finding could not be looked at, 1 buckets, 0.
  int exit_code() const;
};

// Sorts the findings that FOLDER/campaign.json lists, and the calls in FOLDER/findings that it does
// not (a campaign that was killed leaves such), into buckets, and writes, the last last:
//   FOLDER/triage/<id>.json, <id>.cc    the smallest call of each bug, to replay and as a C++ test
//   FOLDER/triage.json                  schema prelaunch.triage/1
// What an earlier triage left there goes first. `root` is the checkout. Says on standard error how
// far it is. Throws FileError, and Interrupted.
Triage triage(const std::filesystem::path& folder, const std::filesystem::path& root);

// The command that judges the bucket's smallest call again.
std::string replay_command(const std::filesystem::path& folder, const Bucket& bucket);

}  // namespace prelaunch::fuzz
