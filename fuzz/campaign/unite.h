// Several campaigns as one: what merge writes, without its files.
#pragma once

#include "fuzz/campaign/merge.h"

namespace prelaunch::fuzz {

// Throws FileError when two of the folders hold the same shard.
void refuse_same_shard(const std::vector<MergedFolder>& folders);

// Counts, seconds and fired rules are summed per target, features are the maximum, findings are
// united by id, reasons get the name of their folder in front. A folder that tells nothing, shards
// that are missing, and shards of different commits, seeds or counts are reasons too. The corpus is
// left at 0: it is not the sum.
CampaignResult unite(const std::vector<MergedFolder>& folders);

}  // namespace prelaunch::fuzz
