#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/format.h"
#include "reports/page_parts.h"

namespace prelaunch::reports {
namespace {

// Above this many rules an op's table is folded away under its summary.
constexpr std::size_t kOpenRules = 24;

bool ran(const Measure* measure) { return measure != nullptr && measure->error.empty(); }

Cell time_cell(const Measure* measure, double unit, int decimals) {
  if (!ran(measure)) return {kNone, {}, Tone::kQuiet};
  return {with_separators(measure->nanoseconds / unit, decimals)};
}

Cell nanoseconds_cell(const Measure* measure) { return time_cell(measure, 1, 1); }

Cell spread_cell(const Measure* measure) {
  if (!ran(measure) || !measure->spread) return {"", {}, Tone::kQuiet};
  return {"\u00b1" + percent(*measure->spread), {}, Tone::kQuiet};
}

// Accepting is promised to allocate nothing.
enum class Promise { kFree, kMayAllocate };

Cell allocations_cell(const Measure* measure, Promise promise) {
  if (!ran(measure) || !measure->allocations) return {kNone, {}, Tone::kQuiet};
  const double count = *measure->allocations;
  const bool broken = promise == Promise::kFree && count > 0;
  const int decimals = count == std::floor(count) ? 0 : 2;
  return {with_separators(count, decimals), {}, broken ? Tone::kBad : Tone::kPlain};
}

Cell ratio_cell(const CaseRow& row) {
  const auto ratio = row.ratio();
  if (!ratio) return {kNone, {}, Tone::kQuiet};
  return {with_separators(*ratio, 2) + "\u00d7"};
}

void write_cases(Html& html, const ValidationOp& op) {
  static constexpr Column kColumns[] = {{"case"},
                                        {"accept, ns", Align::kNumber},
                                        {"spread", Align::kNumber},
                                        {"handwritten, ns", Align::kNumber},
                                        {"spread", Align::kNumber},
                                        {"accept / handwritten", Align::kNumber},
                                        {"allocations", Align::kNumber},
                                        {"normalise, ns", Align::kNumber},
                                        {"spread", Align::kNumber},
                                        {"allocations", Align::kNumber}};
  std::vector<Row> rows;
  for (const CaseRow& row : op.cases) {
    rows.push_back({{row.name},
                    nanoseconds_cell(row.accept),
                    spread_cell(row.accept),
                    nanoseconds_cell(row.handwritten),
                    spread_cell(row.handwritten),
                    ratio_cell(row),
                    allocations_cell(row.accept, Promise::kFree),
                    nanoseconds_cell(row.normalise),
                    spread_cell(row.normalise),
                    allocations_cell(row.normalise, Promise::kMayAllocate)});
  }
  if (!rows.empty()) write_table(html, kColumns, rows);
}

// "reject 3.1 to 9.8 ns"; empty when nothing was measured.
std::string range(const std::vector<RuleRow>& rules, const Measure* RuleRow::* what,
                  const char* name) {
  std::vector<double> times;
  for (const RuleRow& rule : rules) {
    if (ran(rule.*what)) times.push_back((rule.*what)->nanoseconds);
  }
  if (times.empty()) return {};
  const auto [low, high] = std::ranges::minmax(times);
  return fmt::format(", {} {} to {} ns", name, with_separators(low, 1), with_separators(high, 1));
}

void write_rules(Html& html, const ValidationOp& op) {
  static constexpr Column kColumns[] = {{"rule"},
                                        {"reject, ns", Align::kNumber},
                                        {"spread", Align::kNumber},
                                        {"allocations", Align::kNumber},
                                        {"explain, ns", Align::kNumber},
                                        {"spread", Align::kNumber},
                                        {"allocations", Align::kNumber}};
  if (op.rules.empty()) return;
  std::vector<Row> rows;
  for (const RuleRow& row : op.rules) {
    rows.push_back({{row.name, {}, Tone::kCode},
                    nanoseconds_cell(row.reject),
                    spread_cell(row.reject),
                    allocations_cell(row.reject, Promise::kMayAllocate),
                    nanoseconds_cell(row.explain),
                    spread_cell(row.explain),
                    allocations_cell(row.explain, Promise::kMayAllocate)});
  }
  html.raw(rows.size() > kOpenRules ? Markup("<details>") : Markup("<details open>"));
  html.raw("<summary>").text(plural(rows.size(), "rule"));
  html.text(range(op.rules, &RuleRow::reject, "reject"));
  html.text(range(op.rules, &RuleRow::explain, "explain")).raw("</summary>\n");
  write_table(html, kColumns, rows);
  html.raw("</details>\n");
}

Cell rate_cell(const Measure& measure) {
  if (!ran(&measure) || !measure.bytes_per_second) return {kNone, {}, Tone::kQuiet};
  return {with_separators(*measure.bytes_per_second / 1e9, 1)};
}

void write_kernels(Html& html, const std::vector<KernelRow>& kernels) {
  static constexpr Column kColumns[] = {{"op"},
                                        {"case"},
                                        {"variant"},
                                        {"time, \u00b5s", Align::kNumber},
                                        {"spread", Align::kNumber},
                                        {"GB/s", Align::kNumber}};
  html.raw("<h2>Kernels</h2>\n");
  std::vector<Row> rows;
  for (const KernelRow& row : kernels) {
    rows.push_back({{row.op},
                    {row.name},
                    {row.variant},
                    time_cell(row.measure, 1e3, 2),
                    spread_cell(row.measure),
                    rate_cell(*row.measure)});
  }
  if (rows.empty())
    html.raw("<p class=\"quiet\">None measured.</p>\n");
  else
    write_table(html, kColumns, rows);
}

void write_others(Html& html, const std::vector<const Measure*>& others) {
  static constexpr Column kColumns[] = {
      {"benchmark"}, {"time, ns", Align::kNumber}, {"spread", Align::kNumber}};
  if (others.empty()) return;
  html.raw("<h2>Other benchmarks</h2>\n");
  std::vector<Row> rows;
  for (const Measure* measure : others) {
    rows.push_back({{measure->name}, nanoseconds_cell(measure), spread_cell(measure)});
  }
  write_table(html, kColumns, rows);
}

void write_skipped(Html& html, const BenchRun& bench) {
  const auto skipped = [](const Measure& measure) { return !measure.error.empty(); };
  if (std::ranges::none_of(bench.measures, skipped)) return;
  html.raw("<h2>Benchmarks without a result</h2>\n<ul>\n");
  for (const Measure& measure : bench.measures) {
    if (!skipped(measure)) continue;
    html.raw("<li><code>").text(measure.name).raw("</code>: ").text(measure.error).raw("</li>\n");
  }
  html.raw("</ul>\n");
}

}  // namespace

void write_benchmarks(Html& html, const std::optional<BenchRun>& bench) {
  html.raw("<h2>Validation</h2>\n");
  if (!bench) {
    html.raw("<p class=\"quiet\">Absent: this run has no bench.json.</p>\n");
    return;
  }
  const BenchTables tables = sort_out(*bench);
  if (tables.validation.empty())
    html.raw("<p class=\"quiet\">None measured.</p>\n");
  else
    html.raw("<p class=\"quiet\">Real time, median of the repetitions; the spread is their ")
        .raw("coefficient of variation.</p>\n");
  for (const ValidationOp& op : tables.validation) {
    html.raw("<h3>").text(op.op).raw("</h3>\n");
    write_cases(html, op);
    write_rules(html, op);
  }
  write_kernels(html, tables.kernels);
  write_others(html, tables.others);
  write_skipped(html, *bench);
}

}  // namespace prelaunch::reports
