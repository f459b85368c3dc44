// How far the campaign can be believed: what it covers, and what it finds when there is something.
#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "kernels/common/duration.h"
#include "reports/change.h"
#include "reports/format.h"
#include "reports/page_parts.h"

namespace prelaunch::reports {
namespace {

double covered_share(const Covered& covered) {
  if (covered.count == 0) return 1;
  return static_cast<double>(covered.covered) / static_cast<double>(covered.count);
}

// Coverage does not vary as rates do: whatever is lost is marked.
Cell covered_cell(const Covered& now, const Covered* before) {
  Cell cell{share(now.covered, now.count) + fmt::format(" of {}", with_separators(now.count))};
  if (before == nullptr || *before == now) return cell;
  cell.note = fmt::format("last run {} of {}", share(before->covered, before->count),
                          with_separators(before->count));
  if (covered_share(now) < covered_share(*before)) cell.note_tone = Tone::kWarn;
  return cell;
}

std::map<std::string, const CoveredFile*> files_of(const std::optional<PreviousRun>& run) {
  std::map<std::string, const CoveredFile*> files;
  if (!run || !run->coverage) return files;
  for (const CoveredFile& file : run->coverage->files) files.emplace(file.name, &file);
  return files;
}

Row probe_row(const Probed& target) {
  const std::string seconds = format_duration(target.seconds);
  const Cell result =
      target.found ? Cell{seconds} : Cell{"not found", "in " + seconds, Tone::kBad, Tone::kBad};
  return {{target.op}, {target.profile}, {target.what, target.planted}, result};
}

std::vector<Row> not_probed(const Campaign& campaign, const Probe& probe) {
  std::set<std::pair<std::string, std::string>> probed;
  for (const Probed& target : probe.targets) probed.emplace(target.op, target.profile);
  std::vector<Row> rows;
  for (const Target& target : campaign.targets) {
    if (probed.contains({target.op, target.profile})) continue;
    rows.push_back({{target.op},
                    {target.profile},
                    {kNone, {}, Tone::kQuiet},
                    {"not tested", {}, Tone::kWarn}});
  }
  return rows;
}

}  // namespace

void write_coverage(Html& html, const RunFiles& run) {
  static constexpr Column kColumns[] = {
      {"contract"}, {"lines", Align::kNumber}, {"branches", Align::kNumber}};
  html.raw("<h2>Contract coverage</h2>\n<p class=\"quiet\">");
  if (!run.coverage) {
    html.raw("Absent: this run has no coverage.json.</p>\n");
    return;
  }
  html.raw("What corpus and campaign cover. ");
  html.link(Url::coverage(), "Line by line").raw(".");
  if (run.previous && run.previous->coverage) html.raw(" Small: the last run, where it differs.");
  html.raw("</p>\n");
  const auto before = files_of(run.previous);
  std::vector<Row> rows;
  for (const CoveredFile& file : run.coverage->files) {
    const auto found = before.find(file.name);
    const CoveredFile* last = found == before.end() ? nullptr : found->second;
    rows.push_back({{file.name},
                    covered_cell(file.lines, last ? &last->lines : nullptr),
                    covered_cell(file.branches, last ? &last->branches : nullptr)});
  }
  write_table(html, kColumns, rows);
}

void write_probe(Html& html, const RunFiles& run) {
  static constexpr Column kColumns[] = {
      {"op"}, {"profile"}, {"planted"}, {"found after", Align::kNumber}};
  html.raw("<h2>Planted bugs found again</h2>\n<p class=\"quiet\">");
  if (!run.probe) {
    html.raw("Absent: this run has no probe.json.</p>\n");
    return;
  }
  html.raw("To test the fuzzers, one bug was planted in each target, chosen by seed ");
  html.text(fmt::to_string(run.probe->seed)).raw(".</p>\n");
  std::vector<Row> rows;
  for (const Probed& target : run.probe->targets) rows.push_back(probe_row(target));
  const auto rest = not_probed(run.campaign.value_or(Campaign{}), *run.probe);
  rows.insert(rows.end(), rest.begin(), rest.end());
  write_table(html, kColumns, rows);
}

}  // namespace prelaunch::reports
