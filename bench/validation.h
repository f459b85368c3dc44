// What validation costs: normalise, accept beside its handwritten twin, reject, explain.
#pragma once

#include <memory>

#include "bench/agreement.h"
#include "bench/allocations.h"
#include "bench/entry.h"
#include "bench/progress.h"
#include "kernels/common/explain.h"

namespace prelaunch::bench {

template <class Body>
void measure(benchmark::State& state, Body body) {
  progress_tick();
  const std::uint64_t before = allocations();
  for (auto _ : state) body();
  const auto made = static_cast<double>(allocations() - before);
  state.counters["allocations"] = made / static_cast<double>(state.iterations());
}

// Both judges are called through this: the same loop, the same hidden pointer, a call out of line.
template <class Op, Judge<Op> kJudge>
void time_verdict(benchmark::State& state, const BoundCall<Op>& bound) {
  const auto* args = &bound.args();
  measure(state, [&] {
    benchmark::DoNotOptimize(args);
    benchmark::DoNotOptimize(kJudge(*args));
  });
}

template <class Op>
void time_normalise(benchmark::State& state, const BoundCall<Op>& bound) {
  const auto* from = &bound;
  typename Op::Args args;
  measure(state, [&] {
    benchmark::DoNotOptimize(from);
    from->normalise(args);
    benchmark::ClobberMemory();
  });
}

template <class Op>
void time_explain(benchmark::State& state, const BoundCall<Op>& bound) {
  const auto* args = &bound.args();
  measure(state, [&] {
    benchmark::DoNotOptimize(args);
    const Explanation explanation = explain(check<Op>(*args));
    benchmark::DoNotOptimize(explanation.message.data());
  });
}

template <class Op>
class ValidationSuite {
 public:
  using Time = void (*)(benchmark::State&, const BoundCall<Op>&);

  explicit ValidationSuite(std::vector<Entry>& entries) : entries_(entries) {}

  void add_case(std::string_view name, const Call& call) {
    const auto bound = std::make_shared<const BoundCall<Op>>(call);
    add("normalise", name, Night::kEvery, bound, time_normalise<Op>);
    add("accept", name, Night::kEvery, bound, time_verdict<Op, table_verdict<Op>>);
    add("handwritten", name, Night::kEvery, bound, time_verdict<Op, handwritten<Op>>);
  }

  void add_rule(std::size_t rule, const Call& call) {
    const auto bound = std::make_shared<const BoundCall<Op>>(call);
    // Of the rejections a night sees the cheapest, the first rule of the op's own, and the dearest.
    const std::size_t last = kRules<Op>.size() - 1;
    const bool telling = rule == 0 || rule == first_own() || rule == last;
    add("reject", rule_name<Op>(rule), telling ? Night::kEvery : Night::kOnlyFull, bound,
        time_verdict<Op, table_verdict<Op>>);
    add("explain", rule_name<Op>(rule), rule == last ? Night::kEvery : Night::kOnlyFull, bound,
        time_explain<Op>);
  }

 private:
  static constexpr std::size_t first_own() {
    std::size_t rules = 0;
    for (const auto& field : Op::kFields) rules += field.is_tensor() ? kRulesOfTensor : 0;
    return rules;
  }

  void add(std::string_view what, std::string_view name, Night night,
           std::shared_ptr<const BoundCall<Op>> bound, Time time) {
    entries_.push_back(
        {Op::kName, fmt::format("validation/{}/{}/{}", Op::kName, what, name), night, Clock::kWall,
         [bound = std::move(bound), time](benchmark::State& state) { time(state, *bound); }});
  }

  std::vector<Entry>& entries_;
};

template <class Op, class Cases>
void add_validation(std::vector<Entry>& entries) {
  ValidationSuite<Op> suite(entries);
  for (const auto& of : Cases::kCases) suite.add_case(of.name, Cases::make_call(of));
  for (std::size_t rule = 0; rule < kRules<Op>.size(); ++rule) {
    // A rule that no edit breaks is a finding of the fuzzers, not of a benchmark.
    if (const auto call = sole_violation_of<Op, Cases>(rule)) suite.add_rule(rule, *call);
  }
}

}  // namespace prelaunch::bench
