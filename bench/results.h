// Collects what Google Benchmark reports: its JSON, and the samples for our own table.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace prelaunch::bench {

struct Result {
  std::vector<double> nanoseconds;  // one a repetition, in their order
  double allocations = 0;           // an iteration; the most of any repetition
  double bytes_per_second = 0;      // the fastest repetition's; 0 where no bytes are counted
  std::string error;                // why it was skipped; empty when it ran
};

// Keeps the repetitions alone: whoever reads them computes what aggregates would say, and Google
// Benchmark 1.7 writes the variation of a counter that is always 0 as a bare NaN, which is no JSON.
class Results : public benchmark::BenchmarkReporter {
 public:
  Results() { json_.SetOutputStream(&text_); }

  bool ReportContext(const Context& context) override { return json_.ReportContext(context); }
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override { json_.Finalize(); }

  std::string json() const { return text_.str(); }
  const std::map<std::string, Result>& by_name() const { return by_name_; }

 private:
  void add(const Run& run);

  std::ostringstream text_;
  benchmark::JSONReporter json_;
  std::map<std::string, Result> by_name_;
};

double median(std::vector<double> values);

}  // namespace prelaunch::bench
