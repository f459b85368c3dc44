#include "reports/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "kernels/common/escape.h"
#include "reports/format.h"
#include "reports/issues.h"

namespace prelaunch::reports {
namespace {

constexpr std::size_t kFindingsShown = 2;  // of two lines each
constexpr std::size_t kItemsShown = 4;     // in a line that lists targets or ops

std::string verdict_text(RunVerdict verdict, Colour colour) {
  const char* word = to_string(verdict);
  if (colour == Colour::kNever) return word;
  const int code = verdict == RunVerdict::kClean ? 32 : verdict == RunVerdict::kFindings ? 31 : 33;
  return fmt::format("\x1b[1;{}m{}\x1b[0m", code, word);
}

std::string joined(const std::vector<std::string>& items, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(items.size(), most); ++i) {
    text += (i == 0 ? "" : "; ") + items[i];
  }
  if (items.size() > most) text += fmt::format("; {} more on the page", items.size() - most);
  return visible(text);
}

// "17 findings, 2 new", "none"
std::string headline_text(const RunFiles& run, const std::vector<Issue>& issues) {
  if (issues.empty()) return "none";
  std::string text = count_text(issues);
  if (run.previous) text += fmt::format(", {} new", with_separators(count_new(issues)));
  return text + (issues.size() > kFindingsShown ? ", the first of them:" : "");
}

std::string issue_text(const Issue& issue) {
  const Bucket& bucket = issue.bucket;
  return fmt::format("  {}{}{}: {}{}", issue.novelty == Novelty::kNew ? "new: " : "", bucket.op,
                     issue.profile ? " " + *issue.profile : "",
                     issue.is_bucket() ? bucket.description : bucket.reason,
                     bucket.rule ? " (" + *bucket.rule + ")" : "");
}

void add_findings(const RunFiles& run, std::vector<std::string>& lines) {
  const std::vector<Issue> issues = list_issues(run);
  lines.push_back("found      " + headline_text(run, issues));
  for (const Issue& issue : issues | std::views::take(kFindingsShown)) {
    lines.push_back(visible(issue_text(issue)));
    lines.push_back(visible("    " + issue.bucket.replay));
  }
}

std::string rates(const Campaign& campaign) {
  std::vector<std::string> items;
  for (const Target& target : campaign.targets) {
    items.push_back(fmt::format("{} {} {}/s", target.op, target.profile,
                                with_separators(target.executions_per_second, 0)));
  }
  return joined(items, kItemsShown);
}

// The case in the middle, by ratio: on a short budget the worst of many cases is noise. Null when
// none has both.
const CaseRow* middle_case(const ValidationOp& op) {
  std::vector<const CaseRow*> rows;
  for (const CaseRow& row : op.cases) {
    if (row.ratio()) rows.push_back(&row);
  }
  std::ranges::sort(rows, {}, [](const CaseRow* row) { return *row->ratio(); });
  return rows.empty() ? nullptr : rows[rows.size() / 2];
}

std::string validation(const BenchRun& bench) {
  std::vector<std::string> items;
  const BenchTables tables = sort_out(bench);
  for (const ValidationOp& op : tables.validation) {
    if (const CaseRow* row = middle_case(op)) {
      items.push_back(fmt::format("{} {} ns, handwritten {} ns ({}\u00d7; middle of {} cases)",
                                  op.op, with_separators(row->accept->nanoseconds, 1),
                                  with_separators(row->handwritten->nanoseconds, 1),
                                  with_separators(*row->ratio(), 2), op.cases.size()));
    }
  }
  return items.empty() ? "not measured" : joined(items, kItemsShown);
}

}  // namespace

std::vector<std::string> summary_lines(const RunFiles& run,
                                       const std::optional<std::filesystem::path>& page,
                                       Colour colour) {
  const Headline head = headline(run);
  std::vector<std::string> lines;
  const std::string why = joined(head.reasons, kItemsShown);
  lines.push_back("verdict    " + verdict_text(head.verdict, colour) +
                  (why.empty() ? "" : ": " + why));
  if (run.campaign) {
    add_findings(run, lines);
    lines.push_back("calls      " + with_separators(run.campaign->executions()));
    if (!run.campaign->targets.empty()) lines.push_back("rates      " + rates(*run.campaign));
  }
  lines.push_back("accepting  " + (run.bench ? validation(*run.bench) : "not measured"));
  lines.push_back("page       " + (page ? visible(page->string()) : "not written"));
  return lines;
}

}  // namespace prelaunch::reports
