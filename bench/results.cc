#include "bench/results.h"

#include <algorithm>
#include <iterator>

namespace prelaunch::bench {
namespace {

double counter(const benchmark::BenchmarkReporter::Run& run, const char* name) {
  const auto found = run.counters.find(name);
  return found == run.counters.end() ? 0.0 : found->second.value;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void Results::ReportRuns(const std::vector<Run>& runs) {
  std::vector<Run> repetitions;
  std::ranges::copy_if(runs, std::back_inserter(repetitions),
                       [](const Run& run) { return run.run_type == Run::RT_Iteration; });
  json_.ReportRuns(repetitions);
  for (const Run& run : repetitions) add(run);
}

void Results::add(const Run& run) {
  Result& result = by_name_[run.run_name.function_name];
  if (run.error_occurred) {
    result.error = run.error_message;
    return;
  }
  const double unit = 1e9 / benchmark::GetTimeUnitMultiplier(run.time_unit);
  result.nanoseconds.push_back(run.GetAdjustedRealTime() * unit);
  result.allocations = std::max(result.allocations, counter(run, "allocations"));
  result.bytes_per_second = std::max(result.bytes_per_second, counter(run, "bytes_per_second"));
}

}  // namespace prelaunch::bench
