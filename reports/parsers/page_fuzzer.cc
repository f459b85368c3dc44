// The page of any files that can be read: no tag but the page's own, in valid UTF-8 that hides
// nothing, and no link but to what may be linked to. Bars in the input part campaign.json,
// bench.json, nightly.json, triage.json, probe.json, coverage.json, and of the run before
// campaign.json, triage.json and coverage.json. No field of the seeds is without a tag that is none
// of the page's, so one that is not escaped is noticed at once.
#include <algorithm>
#include <array>

#include "kernels/common/property.h"
#include "reports/page.h"

using namespace prelaunch;
using namespace prelaunch::reports;

namespace {

constexpr auto kTags = std::to_array<std::string_view>(
    {"!doctype", "a",      "article", "body",  "code",  "dd",     "details", "div",     "dl",
     "dt",       "footer", "h1",      "h2",    "h3",    "head",   "header",  "html",    "li",
     "main",     "meta",   "p",       "pre",   "span",  "strong", "style",   "summary", "table",
     "tbody",    "td",     "th",      "thead", "title", "tr",     "ul"});

template <class Parsed>
std::optional<Parsed> read(std::string_view text, Parsed (*parse)(std::string_view)) try {
  return parse(text);
} catch (const JsonError& error) {
  claim_line(error.what());
  return std::nullopt;
}

std::string_view take_part(std::string_view& rest) {
  const std::size_t bar = std::min(rest.find('|'), rest.size());
  const std::string_view part = rest.substr(0, bar);
  rest.remove_prefix(std::min(bar + 1, rest.size()));
  return part;
}

void check_tags(std::string_view page) {
  for (std::size_t at = 0; (at = page.find('<', at)) != page.npos;) {
    at += page.substr(at).starts_with("</") ? 2 : 1;
    const std::string_view name = page.substr(at, page.find_first_of(" >", at) - at);
    claim(std::ranges::find(kTags, name) != kTags.end(), "every tag is the page's own");
  }
}

void check_links(std::string_view page) {
  constexpr std::string_view kLink = "href=\"";
  for (std::size_t at = 0; (at = page.find(kLink, at)) != page.npos;) {
    at += kLink.size();
    const std::string_view to = page.substr(at, page.find('"', at) - at);
    claim(to == "coverage/index.html" || to.starts_with("triage/") || to.starts_with("https://"),
          "a link leads to what may be linked to");
    claim(to.find("..") == to.npos || to.starts_with("https://"), "a link stays beside the page");
  }
}

std::optional<PreviousRun> read_previous(std::string_view& rest) {
  auto campaign = read(take_part(rest), parse_campaign);
  if (!campaign) return std::nullopt;
  PreviousRun run{.name = "<x name>", .campaign = *campaign, .triage = {}, .coverage = {}};
  run.triage = read(take_part(rest), parse_triage);
  run.coverage = read(take_part(rest), parse_coverage);
  return run;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  RunFiles run;
  run.campaign = read(take_part(rest), parse_campaign);
  run.bench = read(take_part(rest), parse_bench);
  run.night = read(take_part(rest), parse_night).value_or(Night{});
  run.triage = read(take_part(rest), parse_triage);
  run.probe = read(take_part(rest), parse_probe);
  run.coverage = read(take_part(rest), parse_coverage);
  run.previous = read_previous(rest);
  std::string page = make_page(run);
  check_tags(page);
  check_links(page);
  std::erase(page, '\n');
  claim(visible(page) == page, "a page hides nothing");
  return 0;
}
