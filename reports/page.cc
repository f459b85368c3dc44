#include "reports/page.h"

#include "reports/page_parts.h"
#include "reports/page_style.h"

namespace prelaunch::reports {
namespace {

void write_head(Html& html, const RunFiles& run) {
  html.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
      .raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
      // Whatever slipped through: a browser runs and loads nothing here.
      .raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ")
      .raw("style-src 'unsafe-inline'\">\n<title>")
      .text(to_string(headline(run).verdict))
      .raw(" \u00b7 Prelaunch</title>\n<style>")
      .raw(kPageStyle)
      .raw("</style>\n</head>\n");
}

void write_campaign(Html& html, const RunFiles& run) {
  if (!run.campaign) {
    html.raw("<h2>Campaign</h2>\n<p class=\"quiet\">Absent: this run has no campaign.json.</p>\n");
    return;
  }
  write_findings(html, run);
  write_targets(html, run);
}

}  // namespace

std::string make_page(const RunFiles& run) {
  Html html;
  write_head(html, run);
  html.raw("<body>\n");
  write_headline(html, run);
  html.raw("<main>\n");
  write_campaign(html, run);
  write_coverage(html, run);
  if (run.campaign) write_silent_rules(html, *run.campaign);
  write_probe(html, run);
  write_benchmarks(html, run.bench);
  write_context(html, run);
  html.raw("</main>\n<footer>Made by prelaunch-report from the files beside this page.</footer>\n")
      .raw("</body>\n</html>\n");
  return html.page();
}

}  // namespace prelaunch::reports
