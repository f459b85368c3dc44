#include "reports/bench_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace prelaunch::reports {
namespace {

// What the entries of one benchmark say, before they become one Measure.
struct Samples {
  std::vector<double> nanoseconds, bytes_per_second, allocations;
  std::map<std::string, double> time_aggregates;  // "mean", "median", "cv" -> real_time
  std::map<std::string, double> rate_aggregates;  // the same of bytes_per_second
  std::string error;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::optional<double> variation(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  if (mean == 0) return std::nullopt;
  const double ratio = std::sqrt(squares / static_cast<double>(values.size() - 1)) / mean;
  // Times that only a hostile file holds add up to more than a double does.
  return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

std::optional<double> aggregate(const std::map<std::string, double>& of) {
  for (const char* name : {"median", "mean"}) {
    if (const auto found = of.find(name); found != of.end()) return found->second;
  }
  return std::nullopt;
}

Measure summarise(const std::string& name, const Samples& samples) {
  Measure measure{.name = name, .error = samples.error};
  measure.nanoseconds = std::numeric_limits<double>::quiet_NaN();
  if (!samples.error.empty()) return measure;
  if (!samples.nanoseconds.empty()) {
    measure.nanoseconds = median(samples.nanoseconds);
    measure.spread = variation(samples.nanoseconds);
  } else if (const auto time = aggregate(samples.time_aggregates)) {
    measure.nanoseconds = *time;
    const auto cv = samples.time_aggregates.find("cv");
    if (cv != samples.time_aggregates.end()) measure.spread = cv->second;
  } else {
    measure.error = "no time recorded";
  }
  if (!samples.bytes_per_second.empty())
    measure.bytes_per_second = median(samples.bytes_per_second);
  else
    measure.bytes_per_second = aggregate(samples.rate_aggregates);
  if (!samples.allocations.empty()) {
    measure.allocations = std::ranges::max(samples.allocations);
  }
  return measure;
}

// Real time in nanoseconds. A variation (cv) is a ratio, whatever unit stands beside it.
double read_time(const Node& entry, bool is_ratio) {
  const double time = entry.at("real_time").amount();
  if (is_ratio) return time;
  const Node unit = entry.at("time_unit");
  const std::string text = unit.text();
  if (text == "ns") return time;
  if (text == "us") return time * 1e3;
  if (text == "ms") return time * 1e6;
  if (text != "s") unit.unexpected("\"ns\", \"us\", \"ms\" or \"s\"");
  return time * 1e9;
}

void add_run(const Node& entry, Samples& samples) {
  samples.nanoseconds.push_back(read_time(entry, false));
  if (const auto rate = entry.find("bytes_per_second")) {
    samples.bytes_per_second.push_back(rate->amount());
  }
  if (const auto count = entry.find("allocations")) samples.allocations.push_back(count->amount());
}

void add_aggregate(const Node& entry, const std::string& kind, Samples& samples) {
  // A fitted complexity ("BigO", "RMS") is no time; a standard deviation says no more than the cv.
  if (kind != "mean" && kind != "median" && kind != "cv") return;
  if (entry.find("real_time")) samples.time_aggregates[kind] = read_time(entry, kind == "cv");
  if (const auto rate = entry.find("bytes_per_second")) {
    samples.rate_aggregates[kind] = rate->amount();
  }
  const auto count = entry.find("allocations");
  if (kind == "mean" && count) samples.allocations.push_back(count->amount());
}

bool is_set(const Node& entry, const char* key) {
  const auto flag = entry.find(key);
  return flag && flag->boolean();
}

// Google Benchmark 1.8 renamed error_occurred to skipped.
std::optional<std::string> read_error(const Node& entry) {
  if (!is_set(entry, "error_occurred") && !is_set(entry, "skipped")) return std::nullopt;
  auto message = entry.find("error_message");
  if (!message) message = entry.find("skip_message");
  return message && !message->text().empty() ? message->text() : "skipped without a reason";
}

void add(const Node& entry, Samples& samples) {
  if (const auto error = read_error(entry)) {
    samples.error = *error;
    return;
  }
  const auto kind = entry.find("aggregate_name");
  if (kind)
    add_aggregate(entry, kind->text(), samples);
  else
    add_run(entry, samples);
}

// What Google Benchmark appends to a name: settings and the clock, none of them part of it.
bool is_setting(std::string_view part) {
  constexpr std::array<std::string_view, 8> kSettings = {
      "iterations:", "repeats:",  "min_time:",   "min_warmup_time:",
      "threads:",    "real_time", "manual_time", "process_time"};
  return std::ranges::any_of(kSettings, [&](std::string_view s) {
    return s.back() == ':' ? part.starts_with(s) : part == s;
  });
}

std::string read_name(const Node& entry) {
  const auto run_name = entry.find("run_name");
  std::string name = run_name ? run_name->text() : entry.at("name").text();
  for (std::size_t slash; (slash = name.rfind('/')) != std::string::npos;) {
    if (!is_setting(std::string_view(name).substr(slash + 1))) break;
    name.resize(slash);
  }
  return name;
}

}  // namespace

BenchRun parse_bench(std::string_view text) {
  const nlohmann::json json = parse_json(null_for_nonfinite(text));
  const Node root(json);
  BenchRun run{.context = RunContext(root.at("context")), .measures = {}};
  std::map<std::string, std::size_t> index;
  std::vector<Samples> samples;
  std::vector<std::string> names;
  for (const Node& entry : root.at("benchmarks").items()) {
    const std::string name = read_name(entry);
    const auto [position, is_new] = index.try_emplace(name, samples.size());
    if (is_new) samples.emplace_back(), names.push_back(name);
    add(entry, samples[position->second]);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    run.measures.push_back(summarise(names[i], samples[i]));
  }
  return run;
}

}  // namespace prelaunch::reports
