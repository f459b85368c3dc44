#include <fmt/format.h>

#include "reports/format.h"
#include "reports/issues.h"
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

// "3 buckets, 2 of them new", "1 bucket, new", "17 findings"
std::string count_issues(const RunFiles& run) {
  const std::vector<Issue> issues = list_issues(run);
  const std::string text = count_text(issues);
  const std::size_t fresh = count_new(issues);
  if (fresh == 0) return run.previous ? text + ", none of them new" : text;
  if (fresh == issues.size()) return text + (fresh == 1 ? ", new" : ", all new");
  return text + fmt::format(", {} of them new", with_separators(fresh));
}

std::string why(const Headline& headline, const RunFiles& run) {
  if (!headline.reasons.empty()) return sentence(headline.reasons);
  if (!run.campaign) return {};
  if (headline.verdict != RunVerdict::kClean) return count_issues(run) + ".";
  const std::size_t known = run.campaign->known.size();
  return fmt::format("No finding in {}{}.", plural(run.campaign->executions(), "call"),
                     known == 0 ? "" : fmt::format(", besides {} known", with_separators(known)));
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
    write_fact(html, "Findings", with_separators(list_issues(run).size()));
    write_fact(html, "Calls", with_separators(run.campaign->executions()));
    write_fact(html, "Targets", with_separators(run.campaign->targets.size()));
    write_fact(html, "Time", context.get("seconds"));
  }
  write_fact(html, "Commit", commit_text(context));
  write_fact(html, "Machine", context.get("machine"));
  html.raw("</dl>\n");
}

// What the page is compared with, and what that says.
void write_comparison(Html& html, const RunFiles& run) {
  if (!run.campaign) return;
  html.raw("<p class=\"quiet\">");
  if (run.previous) {
    const std::size_t fresh = count_new(list_issues(run)), gone = list_gone(run).size();
    html.raw("Against the last run that ended, <code>").text(run.previous->name).raw("</code>: ");
    html.text(
        fmt::format("{} new, {} not found again.", with_separators(fresh), with_separators(gone)));
    if (!run.previous->broken.empty()) {
      html.raw(" <code>").text(run.previous->broken).raw("</code> after it did not end.");
    }
  } else {
    html.raw("No earlier run of this machine to compare with.");
  }
  html.raw("</p>\n");
}

}  // namespace

void write_headline(Html& html, const RunFiles& run) {
  const Headline head = headline(run);
  const std::string started = run.campaign ? run.campaign->context.get("started")
                              : run.bench  ? run.bench->context.get("started")
                                           : "";
  html.raw(verdict_open(head.verdict)).raw("<p class=\"eyebrow\">Prelaunch");
  if (!started.empty()) html.raw(" \u00b7 started ").text(started);
  html.raw("</p>\n<h1>").raw(verdict_title(head.verdict)).raw("</h1>\n<p class=\"why\">");
  html.text(why(head, run)).raw("</p>\n");
  write_comparison(html, run);
  write_facts(html, run);
  html.raw("</header>\n");
}

}  // namespace prelaunch::reports
