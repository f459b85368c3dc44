#include <fmt/format.h>

#include <algorithm>

#include "reports/duration.h"
#include "reports/format.h"
#include "reports/page_parts.h"

namespace prelaunch::reports {
namespace {

// A sentence starts with a capital, but a name ("rms_norm", "prelaunch-bench") keeps its own
// letters.
bool starts_with_a_name(std::string_view text) {
  return text.substr(0, text.find(' ')).find_first_of("_-./") != std::string_view::npos;
}

// "The campaign had no targets; the run was interrupted."
std::string sentence(const std::vector<std::string>& reasons) {
  std::string text;
  for (const std::string& reason : reasons) text += (text.empty() ? "" : "; ") + reason;
  if (text.empty()) return text;
  if (text[0] >= 'a' && text[0] <= 'z' && !starts_with_a_name(text)) {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  if (text.back() != '.') text += '.';
  return text;
}

std::string why(const Headline& headline, const std::optional<Campaign>& campaign) {
  if (!headline.reasons.empty()) return sentence(headline.reasons);
  if (!campaign) return {};
  if (headline.verdict == RunVerdict::kClean) {
    return fmt::format("No finding in {}.", plural(campaign->executions(), "call"));
  }
  return fmt::format("{}.", plural(campaign->finding_count(), "finding"));
}

Markup verdict_open(RunVerdict verdict) {
  switch (verdict) {
    case RunVerdict::kClean:
      return "<header class=\"verdict clean\">\n";
    case RunVerdict::kFindings:
      return "<header class=\"verdict findings\">\n";
    case RunVerdict::kUntrusted:
      break;
  }
  return "<header class=\"verdict untrusted\">\n";
}

Markup verdict_title(RunVerdict verdict) {
  switch (verdict) {
    case RunVerdict::kClean:
      return "Clean";
    case RunVerdict::kFindings:
      return "Findings";
    case RunVerdict::kUntrusted:
      break;
  }
  return "Untrusted";
}

void write_fact(Html& html, Markup name, std::string_view value) {
  if (value.empty()) return;
  html.raw("<div><dt>").raw(name).raw("</dt><dd>").text(value).raw("</dd></div>\n");
}

std::string commit_text(const RunContext& context) {
  const std::string commit = context.get("commit").substr(0, 12);
  const bool dirty = context.get("dirty") == "true";
  return commit.empty() || !dirty ? commit : commit + " + uncommitted changes";
}

void write_facts(Html& html, const RunFiles& run) {
  const RunContext none;
  const RunContext& context = run.campaign ? run.campaign->context
                              : run.bench  ? run.bench->context
                                           : none;
  html.raw("<dl class=\"facts\">\n");
  if (run.campaign) {
    write_fact(html, "Findings", with_separators(run.campaign->finding_count()));
    write_fact(html, "Calls", with_separators(run.campaign->executions()));
    write_fact(html, "Targets", with_separators(run.campaign->targets.size()));
    write_fact(html, "Time", context.get("seconds"));
  }
  write_fact(html, "Commit", commit_text(context));
  write_fact(html, "Machine", context.get("machine"));
  html.raw("</dl>\n");
}

void write_finding(Html& html, const Target& target, const Finding& finding) {
  html.raw("<article class=\"finding\">\n<p><strong>").text(target.op);
  html.raw("</strong> <span class=\"tag\">").text(target.profile).raw("</span> ");
  html.text(finding.reason);
  if (finding.rule) html.raw(" <code>").text(*finding.rule).raw("</code>");
  if (!finding.detail.empty()) html.raw("</p>\n<p>").text(finding.detail);
  html.raw("</p>\n<pre class=\"replay\" tabindex=\"0\" title=\"one click selects all\"><code>");
  html.text(finding.replay).raw("</code></pre>\n<p class=\"quiet\">Call <code>");
  html.text(finding.call).raw("</code>, id <code>").text(finding.id);
  html.raw("</code></p>\n</article>\n");
}

std::string optional_count(const std::optional<std::uint64_t>& count) {
  return count ? with_separators(*count) : kNone;
}

Row target_row(const Target& target) {
  const std::uint64_t judged = target.accepted + target.rejected;
  const std::uint64_t findings = target.findings.size();
  return {
      {target.op},
      {target.profile},
      {target.engine},
      {with_separators(target.executions), {}, target.executions == 0 ? Tone::kBad : Tone::kPlain},
      {with_separators(target.executions_per_second, 0)},
      {share(target.accepted, judged)},
      {share(target.rejected, judged)},
      {optional_count(target.corpus)},
      {optional_count(target.features)},
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

void write_headline(Html& html, const RunFiles& run) {
  const Headline head = headline(run.campaign, run.night);
  const std::string started = run.campaign ? run.campaign->context.get("started")
                              : run.bench  ? run.bench->context.get("started")
                                           : "";
  html.raw(verdict_open(head.verdict)).raw("<p class=\"eyebrow\">Prelaunch");
  if (!started.empty()) html.raw(" \u00b7 started ").text(started);
  html.raw("</p>\n<h1>").raw(verdict_title(head.verdict)).raw("</h1>\n<p class=\"why\">");
  html.text(why(head, run.campaign)).raw("</p>\n");
  write_facts(html, run);
  html.raw("</header>\n");
}

void write_findings(Html& html, const Campaign& campaign) {
  html.raw("<h2>Findings</h2>\n");
  if (campaign.finding_count() == 0) html.raw("<p class=\"quiet\">None.</p>\n");
  for (const Target& target : campaign.targets) {
    for (const Finding& finding : target.findings) write_finding(html, target, finding);
  }
}

void write_targets(Html& html, const Campaign& campaign) {
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
  std::vector<Row> rows;
  for (const Target& target : campaign.targets) rows.push_back(target_row(target));
  if (rows.empty())
    html.raw("<p class=\"quiet\">None.</p>\n");
  else
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
