// Reads campaign.json back. The file may come from another machine, or be anything at all.
#pragma once

#include <filesystem>
#include <string_view>

#include "fuzz/campaign/campaign.h"

namespace prelaunch::fuzz {

// Larger files are refused before they are parsed.
inline constexpr std::size_t kMaxCampaignBytes = std::size_t{16} << 20;
// Counts that no campaign reaches, and of which as many as there are shards can be added.
inline constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 50;
inline constexpr double kMaxSeconds = 1e12;

// What campaign_json gave the text for, where it holds only what this build knows: its ops, its
// rules. Texts are made safe to show; a finding's id is the name of a file, and its call is
// findings/<id>.json or a file of corpus/<op>. A verdict that the rest does not bear out is a
// reason not to trust it. Throws JsonError: "targets[0].executions: expected ...".
CampaignResult parse_campaign(std::string_view text);

// Throws FileError, with the file's name in front.
CampaignResult read_campaign(const std::filesystem::path& file);

}  // namespace prelaunch::fuzz
