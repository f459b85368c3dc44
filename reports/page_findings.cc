#include <fmt/format.h>

#include "reports/format.h"
#include "reports/issues.h"
#include "reports/page_parts.h"

namespace prelaunch::reports {
namespace {

void write_tags(Html& html, const Issue& issue) {
  if (issue.novelty == Novelty::kNew) html.raw("<span class=\"tag new\">new</span> ");
  if (issue.novelty == Novelty::kSeenBefore) html.raw("<span class=\"tag\">last run too</span> ");
  if (issue.profile) html.raw("<span class=\"tag\">").text(*issue.profile).raw("</span> ");
  if (issue.bucket.reproduced) return;
  html.raw("<span class=\"tag warn\">did not happen again</span> ");
}

void write_title(Html& html, const Issue& issue) {
  html.raw("<p><strong>").text(issue.bucket.op).raw("</strong> ");
  write_tags(html, issue);
  html.text(issue.bucket.reason);
  if (issue.bucket.rule) html.raw(" <code>").text(*issue.bucket.rule).raw("</code>");
  html.raw("</p>\n");
  if (issue.bucket.description.empty()) return;
  html.raw("<p>").text(issue.bucket.description).raw("</p>\n");
}

// A link where the id allows one; otherwise the path as the file says it, as text.
void write_file(Html& html, std::string_view name, const std::optional<Url>& url,
                const std::string& path) {
  if (url)
    html.link(*url, name);
  else
    html.text(name).raw(" <code>").text(path).raw("</code>");
  html.raw(" \u00b7 ");
}

void write_sources(Html& html, const Issue& issue) {
  const Bucket& bucket = issue.bucket;
  html.raw("<p class=\"quiet\">");
  if (issue.is_bucket()) {
    write_file(html, "shrunk call", Url::triaged(bucket.id, Url::Triaged::kCall), bucket.call);
    write_file(html, "C++ test", Url::triaged(bucket.id, Url::Triaged::kTest), bucket.test);
    html.text(plural(bucket.findings.size(), "finding")).raw(" \u00b7 ");
  } else {
    write_file(html, "call", std::nullopt, bucket.call);
  }
  html.raw("<code>").text(bucket.id).raw("</code></p>\n");
}

void write_also(Html& html, const std::vector<std::string>& also) {
  if (also.empty()) return;
  html.raw("<details><summary>")
      .text(fmt::format("also seen as ({})", with_separators(also.size())));
  html.raw("</summary>\n<ul>\n");
  for (const std::string& line : also) html.raw("<li>").text(line).raw("</li>\n");
  html.raw("</ul>\n</details>\n");
}

void write_issue(Html& html, const Issue& issue) {
  html.raw("<article class=\"finding\">\n");
  write_title(html, issue);
  html.raw("<pre class=\"replay\" tabindex=\"0\" title=\"one click selects all\"><code>");
  html.text(issue.bucket.replay).raw("</code></pre>\n");
  write_sources(html, issue);
  write_also(html, issue.bucket.also);
  html.raw("</article>\n");
}

void write_gone(Html& html, const std::vector<Issue>& gone) {
  if (gone.empty()) return;
  html.raw("<h2>Gone since the last run</h2>\n<p class=\"quiet\">The last run found these, this ")
      .raw("one did not: fixed, or not met again.</p>\n<ul>\n");
  for (const Issue& issue : gone) {
    html.raw("<li><strong>").text(issue.bucket.op).raw("</strong> ").text(issue.bucket.reason);
    if (!issue.bucket.description.empty()) html.text(": " + issue.bucket.description);
    html.raw(" <code>").text(issue.bucket.id).raw("</code></li>\n");
  }
  html.raw("</ul>\n");
}

void write_known_finding(Html& html, const KnownFinding& finding) {
  html.raw("<li><strong>").text(finding.op).raw("</strong> <span class=\"tag\">");
  html.text(finding.state).raw("</span> ").text(finding.reason);
  if (!finding.detail.empty()) html.text(": " + finding.detail);
  html.raw(" <span class=\"quiet\">\u00b7 ");
  if (const auto url = Url::https(finding.reference))
    html.link(*url, finding.reference);
  else
    html.text(finding.reference);
  html.text(fmt::format(" \u00b7 seen {} \u00b7 ", plural(finding.seen, "time")));
  html.raw("<code>").text(finding.id).raw("</code></span></li>\n");
}

void write_known(Html& html, const std::vector<KnownFinding>& known) {
  if (known.empty()) return;
  html.raw("<h2>Known findings</h2>\n<p class=\"quiet\">The ledger knows them; they are not among ")
      .raw("the findings above.</p>\n<ul>\n");
  for (const KnownFinding& finding : known) write_known_finding(html, finding);
  html.raw("</ul>\n");
}

}  // namespace

void write_findings(Html& html, const RunFiles& run) {
  const std::vector<Issue> issues = list_issues(run);
  html.raw("<h2>Findings</h2>\n");
  if (issues.empty()) html.raw("<p class=\"quiet\">None.</p>\n");
  for (const Issue& issue : issues) write_issue(html, issue);
  write_gone(html, list_gone(run));
  write_known(html, run.campaign->known);
}

}  // namespace prelaunch::reports
