// bench.json: a text is refused in one printable line, or each of its benchmarks stands in one
// table, with a time or with the reason why there is none.
#include <algorithm>
#include <cmath>

#include "kernels/common/property.h"
#include "reports/bench_run.h"

using namespace prelaunch;
using namespace prelaunch::reports;

namespace {

void check(const Measure& measure) {
  claim(measure.error.empty() != std::isnan(measure.nanoseconds), "either a time or an error");
  claim(std::isfinite(measure.spread.value_or(0)), "a spread is a number");
}

std::size_t count(const ValidationOp& op) {
  std::size_t sum = 0;
  for (const auto& row : op.cases) sum += !!row.accept + !!row.handwritten + !!row.normalise;
  for (const auto& row : op.rules) sum += !!row.reject + !!row.explain;
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const BenchRun run = parse_bench({reinterpret_cast<const char*>(data), size});
    for (const Measure& measure : run.measures) check(measure);
    const BenchTables tables = sort_out(run);
    std::size_t shown = tables.kernels.size() + tables.others.size();
    for (const ValidationOp& op : tables.validation) shown += count(op);
    claim(shown == run.measures.size(), "each benchmark stands in one table");
  } catch (const JsonError& error) {
    claim_line(error.what());
  }
  return 0;
}
