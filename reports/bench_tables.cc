// Sorting the measures of a run into tables, by the parts of their names.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "reports/bench_run.h"

namespace prelaunch::reports {
namespace {

// Takes the text before the next slash off the front of `rest`.
std::string_view take_part(std::string_view& rest) {
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view part = rest.substr(0, slash);
  rest.remove_prefix(std::min(slash + 1, rest.size()));
  return part;
}

// The entry of `rows` whose `key` it is, made at the end on first sight. Looking for it in the rows
// themselves would cost the square of a hostile file's size.
template <class Row, class Key>
Row& row_of(std::vector<Row>& rows, std::map<Key, std::size_t>& index, const Key& key, Row fresh) {
  const auto [position, is_new] = index.try_emplace(key, rows.size());
  if (is_new) rows.push_back(std::move(fresh));
  return rows[position->second];
}

class Sorter {
 public:
  void add(const Measure& measure) {
    std::string_view rest = measure.name;
    const std::string_view family = take_part(rest);
    const std::string op(take_part(rest));
    if (family == "kernel" && !rest.empty()) {
      const std::string name(take_part(rest));
      tables_.kernels.push_back({op, name, std::string(rest), &measure});
    } else if (family != "validation" || !add_validation(op, rest, measure)) {
      tables_.others.push_back(&measure);
    }
  }
  // By name: measures come in the order in which they were taken, which is random.
  BenchTables take() {
    for (ValidationOp& op : tables_.validation) {
      std::ranges::sort(op.cases, {}, &CaseRow::name);
      std::ranges::sort(op.rules, {}, &RuleRow::name);
    }
    std::ranges::sort(tables_.kernels, {},
                      [](const KernelRow& row) { return std::tie(row.op, row.name, row.variant); });
    return std::move(tables_);
  }

 private:
  using Key = std::pair<std::string, std::string>;

  bool add_validation(const std::string& op, std::string_view rest, const Measure& measure) {
    const std::string_view what = take_part(rest);
    const std::string name(rest);
    if (name.empty()) return false;
    if (what == "accept")
      case_row(op, name).accept = &measure;
    else if (what == "handwritten")
      case_row(op, name).handwritten = &measure;
    else if (what == "normalise")
      case_row(op, name).normalise = &measure;
    else if (what == "reject")
      rule_row(op, name).reject = &measure;
    else if (what == "explain")
      rule_row(op, name).explain = &measure;
    else
      return false;
    return true;
  }

  ValidationOp& op_table(const std::string& op) {
    return row_of(tables_.validation, ops_, op, ValidationOp{.op = op, .cases = {}, .rules = {}});
  }
  CaseRow& case_row(const std::string& op, const std::string& name) {
    return row_of(op_table(op).cases, cases_, Key{op, name}, CaseRow{.name = name});
  }
  RuleRow& rule_row(const std::string& op, const std::string& name) {
    return row_of(op_table(op).rules, rules_, Key{op, name}, RuleRow{.name = name});
  }

  BenchTables tables_;
  std::map<std::string, std::size_t> ops_;
  std::map<Key, std::size_t> cases_, rules_;
};

}  // namespace

std::optional<double> CaseRow::ratio() const {
  if (accept == nullptr || handwritten == nullptr) return std::nullopt;
  if (!accept->error.empty() || !handwritten->error.empty()) return std::nullopt;
  if (!(handwritten->nanoseconds > 0)) return std::nullopt;
  return accept->nanoseconds / handwritten->nanoseconds;
}

BenchTables sort_out(const BenchRun& run) {
  Sorter sorter;
  for (const Measure& measure : run.measures) sorter.add(measure);
  return sorter.take();
}

}  // namespace prelaunch::reports
