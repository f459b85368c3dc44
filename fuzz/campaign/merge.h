// Joins the folders of campaigns, of a campaign's shards above all, those of killed ones too: what
// they counted and found becomes one campaign.json, and inputs that add coverage land in the
// checkout's work corpus. The folders themselves are only read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/campaign/campaign.h"

namespace prelaunch::fuzz {

// More folders cannot be shards of one campaign.
inline constexpr int kMaxMerged = static_cast<int>(kMaxShards);

struct MergeOptions {
  std::vector<std::filesystem::path> folders;
  std::filesystem::path out;       // campaign.json, findings/, logs/
  std::filesystem::path root;      // the checkout: corpus/.work/, git
  std::filesystem::path programs;  // where the fuzzers lie
};

// One of the folders.
struct MergedFolder {
  std::filesystem::path path;
  std::string name;       // what reasons call it: its last part, or all where two have the same
  bool told = false;      // whether its campaign.json is there
  CampaignResult result;  // of one that tells nothing, what was found in the folder
};

// Joins the folders and writes OUT/campaign.json, last of all. An interrupt ends it before anything
// is written. Throws FileError for folders that cannot be read or written, files that are
// malformed, and a shard that is given twice.
CampaignResult merge_campaigns(const MergeOptions& options);

}  // namespace prelaunch::fuzz
