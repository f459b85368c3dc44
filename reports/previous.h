// The run that a run is compared with.
#pragma once

#include <filesystem>
#include <optional>

#include "reports/run.h"

namespace prelaunch::reports {

// More folders than these beside a run are not looked at: the first of the names from the end of
// the alphabet, which are the latest where names start with dates.
inline constexpr std::size_t kMostSiblings = 1000;

// Of the folders beside `folder`, the one with the latest campaign of the same machine that ended
// by itself and was started before this one. Folders whose files cannot be read are passed over;
// nothing when none is left, and for a campaign that does not say where and when it was run.
std::optional<PreviousRun> find_previous(const std::filesystem::path& folder,
                                         const std::optional<Campaign>& campaign);

// The run in a folder that was named. Throws FileError, also where there is no campaign.json.
PreviousRun read_previous(const std::filesystem::path& folder);

}  // namespace prelaunch::reports
