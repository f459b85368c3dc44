#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "reports/change.h"
#include "reports/format.h"
#include "reports/page_parts.h"

namespace prelaunch::reports {
namespace {

// Engines count and pace differently: only the same one is compared.
using Key = std::tuple<std::string, std::string, std::string>;

Key key_of(const Target& target) { return {target.op, target.profile, target.engine}; }

std::map<Key, const Target*> targets_of(const std::optional<PreviousRun>& run) {
  std::map<Key, const Target*> targets;
  if (!run) return targets;
  for (const Target& target : run->campaign.targets) targets.emplace(key_of(target), &target);
  return targets;
}

Cell rate_cell(const Target& target, const Target* before) {
  Cell cell{with_separators(target.executions_per_second, 0)};
  if (before == nullptr) return cell;
  return with_change(std::move(cell), target.executions_per_second, before->executions_per_second);
}

using Count = std::optional<std::uint64_t> Target::*;

Cell count_cell(const Target& target, const Target* before, Count count) {
  if (!(target.*count)) return {kNone, {}, Tone::kQuiet};
  Cell cell{with_separators(*(target.*count))};
  if (before == nullptr || !(before->*count)) return cell;
  return with_change(std::move(cell), static_cast<double>(*(target.*count)),
                     static_cast<double>(*(before->*count)));
}

Row target_row(const Target& target, const Target* before) {
  const std::uint64_t judged = target.accepted + target.rejected;
  const std::uint64_t findings = target.findings.size();
  return {
      {target.op},
      {target.profile},
      {target.engine},
      {with_separators(target.executions), {}, target.executions == 0 ? Tone::kBad : Tone::kPlain},
      rate_cell(target, before),
      {share(target.accepted, judged)},
      {share(target.rejected, judged)},
      count_cell(target, before, &Target::corpus),
      count_cell(target, before, &Target::features),
      {with_separators(findings), {}, findings == 0 ? Tone::kQuiet : Tone::kBad}};
}

void write_silent_rules_of(Html& html, const std::string& op,
                           const std::map<std::string, std::uint64_t>& rules) {
  const auto silent =
      std::ranges::count_if(rules, [](const auto& rule) { return rule.second == 0; });
  html.raw("<h3>").text(op).raw(" <span class=\"note\">");
  html.text(fmt::format("{} of {}", with_separators(static_cast<std::uint64_t>(silent)),
                        plural(rules.size(), "rule")));
  html.raw("</span></h3>\n<ul class=\"rules\">\n");
  for (const auto& [id, fired] : rules) {
    if (fired == 0) html.raw("<li><code>").text(id).raw("</code></li>\n");
  }
  html.raw("</ul>\n");
}

}  // namespace

void write_targets(Html& html, const RunFiles& run) {
  static constexpr Column kColumns[] = {{"op"},
                                        {"profile"},
                                        {"engine"},
                                        {"executions", Align::kNumber},
                                        {"per second", Align::kNumber},
                                        {"accepted", Align::kNumber},
                                        {"rejected", Align::kNumber},
                                        {"corpus", Align::kNumber},
                                        {"features", Align::kNumber},
                                        {"findings", Align::kNumber}};
  html.raw("<h2>Targets</h2>\n");
  if (run.campaign->targets.empty()) {
    html.raw("<p class=\"quiet\">None.</p>\n");
    return;
  }
  if (run.previous) {
    html.raw("<p class=\"quiet\">Small: the difference from the last run. Rates vary with what ")
        .raw("else the machine does; only what fell by 20&nbsp;% or more is marked.</p>\n");
  }
  const auto before = targets_of(run.previous);
  std::vector<Row> rows;
  for (const Target& target : run.campaign->targets) {
    const auto found = before.find(key_of(target));
    rows.push_back(target_row(target, found == before.end() ? nullptr : found->second));
  }
  write_table(html, kColumns, rows);
}

void write_silent_rules(Html& html, const Campaign& campaign) {
  html.raw("<h2>Rules that never fired</h2>\n");
  std::size_t rules_known = 0, ops_with_silence = 0;
  for (const auto& [op, rules] : rules_by_op(campaign)) {
    rules_known += rules.size();
    if (!std::ranges::any_of(rules, [](const auto& rule) { return rule.second == 0; })) continue;
    ++ops_with_silence;
    write_silent_rules_of(html, op, rules);
  }
  if (ops_with_silence > 0) return;
  html.raw("<p class=\"quiet\">")
      .text(rules_known == 0 ? "No rules were counted."
                             : fmt::format("None: each of the {} rejected at least one call.",
                                           plural(rules_known, "rule")))
      .raw("</p>\n");
}

}  // namespace prelaunch::reports
