// Benchmark results as Google Benchmark's JSON tells them, one entry per benchmark.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/common/json_node.h"
#include "reports/run_context.h"

namespace prelaunch::reports {

// What is known of one benchmark, its repetitions taken together.
struct Measure {
  std::string name;  // without what Google Benchmark appends ("/repeats:5", "/real_time")
  // Real time of an iteration: the median of the repetitions. NaN when `error` is set.
  double nanoseconds = 0;
  std::optional<double> spread = {};       // coefficient of variation; nothing for a single run
  std::optional<double> allocations = {};  // the most that any repetition made
  std::optional<double> bytes_per_second = {};
  std::string error;  // why it was skipped; empty when it ran
};

struct BenchRun {
  RunContext context;
  std::vector<Measure> measures;  // in the order of the file
};

// Throws JsonError.
BenchRun parse_bench(std::string_view text);

// One input of validation: the measures there are, each possibly null.
struct CaseRow {
  std::string name;
  const Measure* accept = nullptr;
  const Measure* handwritten = nullptr;
  const Measure* normalise = nullptr;
  // accept over handwritten; nothing unless both were measured.
  std::optional<double> ratio() const;
};
struct RuleRow {
  std::string name;
  const Measure* reject = nullptr;
  const Measure* explain = nullptr;
};
struct ValidationOp {
  std::string op;
  std::vector<CaseRow> cases;
  std::vector<RuleRow> rules;
};
struct KernelRow {
  std::string op, name, variant;
  const Measure* measure = nullptr;
};

// The measures of a run, sorted out by their names: validation/<op>/<what>/<case or rule>,
// kernel/<op>/<case>[/<variant>], and any others. Borrows the run.
struct BenchTables {
  std::vector<ValidationOp> validation;
  std::vector<KernelRow> kernels;
  std::vector<const Measure*> others;
};
BenchTables sort_out(const BenchRun& run);

}  // namespace prelaunch::reports
