// The first part of a campaign: the stored calls are judged again.
#pragma once

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/known.h"

namespace prelaunch::fuzz {

// Judges the stored calls of an op, of a shard its share of them, until an interrupt; those in
// quarantine are left out. Findings that are not known are added to `found`, reasons not to trust
// the campaign to `untrusted`.
void replay_corpus(const CampaignOptions& options, const OpInfo& op, KnownFindings& known,
                   std::vector<Finding>& found, std::vector<std::string>& untrusted);

}  // namespace prelaunch::fuzz
