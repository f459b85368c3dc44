#include <algorithm>
#include <set>

#include "reports/format.h"
#include "reports/page_parts.h"

namespace prelaunch::reports {
namespace {

// What a campaign and the benchmarks of one run share. The compiler, flags and sanitizers differ by
// design: one tree is for finding, the other for speed.
constexpr const char* kShared[] = {"commit", "dirty", "machine"};

void write_warning(Html& html, std::string_view warning) {
  html.raw("<p class=\"warn\">").text(warning).raw("</p>\n");
}

void write_warnings(Html& html, const RunFiles& run) {
  if (run.bench && run.bench->context.get("cpu_scaling_enabled") == "true") {
    write_warning(html,
                  "CPU frequency scaling was on during the benchmarks: their times vary with it.");
  }
  if (!run.campaign || !run.bench) return;
  for (const char* key : kShared) {
    const std::string campaign = run.campaign->context.get(key);
    const std::string bench = run.bench->context.get(key);
    if (campaign.empty() || bench.empty() || campaign == bench) continue;
    write_warning(html, std::string("Campaign and benchmarks differ in ") + key + ".");
  }
}

std::vector<std::string> keys_of(const RunFiles& run) {
  std::vector<std::string> keys;
  std::set<std::string> seen;
  const auto collect = [&](const RunContext& context) {
    for (const auto& [key, value] : context.entries()) {
      if (seen.insert(key).second) keys.push_back(key);
    }
  };
  if (run.campaign) collect(run.campaign->context);
  if (run.bench) collect(run.bench->context);
  return keys;
}

using Values = std::map<std::string, std::string>;

Values values_of(const RunContext& context) {
  return {context.entries().begin(), context.entries().end()};
}

Cell value_cell(const Values& values, const std::string& key) {
  const auto found = values.find(key);
  if (found == values.end() || found->second.empty()) return {kNone, {}, Tone::kQuiet};
  return {found->second, {}, Tone::kCode};
}

}  // namespace

void write_context(Html& html, const RunFiles& run) {
  static constexpr Column kColumns[] = {{""}, {"campaign"}, {"benchmarks"}};
  html.raw("<h2>Context</h2>\n");
  write_warnings(html, run);
  const Values campaign = run.campaign ? values_of(run.campaign->context) : Values();
  const Values bench = run.bench ? values_of(run.bench->context) : Values();
  std::vector<Row> rows;
  for (const std::string& key : keys_of(run)) {
    rows.push_back({{key}, value_cell(campaign, key), value_cell(bench, key)});
  }
  if (rows.empty())
    html.raw("<p class=\"quiet\">Unknown.</p>\n");
  else
    write_table(html, kColumns, rows);
}

}  // namespace prelaunch::reports
