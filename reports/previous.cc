#include "reports/previous.h"

#include <algorithm>
#include <functional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "kernels/common/escape.h"
#include "reports/files.h"
#include "reports/run_files.h"

namespace prelaunch::reports {
namespace {

namespace fs = std::filesystem;

// "2026-11-30T02:15:00Z": in this form alone, texts sort as times do.
bool is_utc_time(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  return std::ranges::equal(text, kForm, [](char c, char form) {
    return form == '0' ? c >= '0' && c <= '9' : c == form;
  });
}

std::vector<fs::path> siblings(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> folders;
  // Absolute first: the folder may be "." or a link, whose own neighbours are meant.
  const fs::path beside = (fs::absolute(folder) / "").lexically_normal().parent_path();
  for (fs::directory_iterator it(beside.parent_path(), error), end; !error && it != end;
       it.increment(error)) {
    std::error_code unreadable;
    if (it->path() != beside && it->is_directory(unreadable)) folders.push_back(it->path());
  }
  std::ranges::sort(folders, std::greater{});
  if (folders.size() > kMostSiblings) folders.resize(kMostSiblings);
  return folders;
}

struct Earlier {
  std::string started;
  fs::path folder;
  bool ended;  // by itself: one that was killed or interrupted says nothing of what it did not see
  auto operator<=>(const Earlier&) const = default;
};

// The campaign in `folder`, if it is one of the same machine that was started before `campaign`.
std::optional<Earlier> earlier_in(const fs::path& folder, const Campaign& campaign) try {
  const auto other = read_campaign(folder);
  if (!other) return std::nullopt;
  const RunContext& context = other->context;
  if (context.get("machine") != campaign.context.get("machine")) return std::nullopt;
  std::string started = context.get("started");
  if (!is_utc_time(started) || started >= campaign.context.get("started")) return std::nullopt;
  const bool ended = context.get("ended") != "false" && context.get("interrupted") != "true";
  return Earlier{std::move(started), folder, ended};
} catch (const FileError&) {
  return std::nullopt;
}

std::optional<PreviousRun> try_read(const fs::path& folder) try {
  return read_previous(folder);
} catch (const FileError&) {
  return std::nullopt;
}

}  // namespace

std::optional<PreviousRun> find_previous(const fs::path& folder,
                                         const std::optional<Campaign>& campaign) {
  if (!campaign || !is_utc_time(campaign->context.get("started")) ||
      campaign->context.get("machine").empty()) {
    return std::nullopt;
  }
  std::vector<Earlier> earlier;
  for (const fs::path& sibling : siblings(folder)) {
    if (auto found = earlier_in(sibling, *campaign)) earlier.push_back(*std::move(found));
  }
  std::ranges::sort(earlier, std::greater{});
  std::string broken;
  for (const Earlier& each : earlier) {
    if (!each.ended && broken.empty()) broken = each.folder.filename().string();
    auto previous = each.ended ? try_read(each.folder) : std::nullopt;
    if (!previous) continue;
    previous->broken = std::move(broken);
    return previous;
  }
  return std::nullopt;
}

PreviousRun read_previous(const fs::path& folder) {
  check_folder(folder);
  auto campaign = read_campaign(folder);
  if (!campaign) throw FileError(visible((folder / kCampaignFile).string()) + ": no such file");
  const fs::path named = (fs::absolute(folder) / "").lexically_normal().parent_path();
  return {.name = named.filename().string(),
          .campaign = std::move(*campaign),
          .triage = read_triage(folder),
          .coverage = read_coverage(folder)};
}

}  // namespace prelaunch::reports
