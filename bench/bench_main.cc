// prelaunch-bench: `./prelaunch bench`, and the second part of `./prelaunch nightly`.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "bench/agreement.h"
#include "bench/context.h"
#include "bench/options.h"
#include "bench/output_file.h"
#include "bench/progress.h"
#include "bench/results.h"
#include "bench/table.h"
#include "kernels/common/door.h"

namespace prelaunch::bench {
namespace {

enum ExitCode : int { kAsExpected = 0, kMissedFigure = 1, kBadUsage = 2, kCannotTrust = 3 };

int complain(ExitCode code, std::string_view what) {
  fmt::print(stderr, "prelaunch bench: {}\n", what);
  return code;
}

std::vector<Suite> all_suites(const Options& options) {
  std::vector<Suite> suites = validation_suites();
  check_ops(options, suites);
  if (door::backend() == "emulator") {
    complain(kAsExpected, "emulator backend: kernel benchmarks are left out");
  } else if (door::device_count().cuda == 0) {
    complain(kAsExpected, "no GPU: kernel benchmarks are left out");
  } else {
    suites.insert(suites.end(), kernel_suites().begin(), kernel_suites().end());
  }
  return choose_suites(options, suites);
}

std::vector<Entry> chosen_entries(const Options& options, const std::vector<Suite>& suites) {
  std::vector<Entry> entries;
  for (const Suite& suite : suites) suite.add(entries);
  std::erase_if(entries, [&](const Entry& entry) { return !chosen(options, entry); });
  return entries;
}

constexpr int kRepetitions = 5;

// Google Benchmark aims at 1.4 times min_time a repetition and looks for the number of iterations
// in the first, so a benchmark takes about this many times min_time.
constexpr double kMinTimes = kRepetitions * 1.4 + 1;

void configure(const Options& options, std::size_t benchmarks) {
  const bool smoke = options.extent == Extent::kSmoke;
  const double share =
      static_cast<double>(options.budget.count()) / static_cast<double>(benchmarks) / kMinTimes;
  std::vector<std::string> words = {
      "prelaunch-bench", "--benchmark_filter=.",
      fmt::format("--benchmark_min_time={:.6f}", smoke ? 0.0 : share),
      fmt::format("--benchmark_repetitions={}", smoke ? 1 : kRepetitions),
      "--benchmark_enable_random_interleaving=true"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
}

void register_entries(const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    auto* registered = benchmark::RegisterBenchmark(
        entry.name.c_str(), [&entry](benchmark::State& state) { entry.run(state); });
    if (entry.clock == Clock::kDevice) registered->UseManualTime()->Unit(benchmark::kMicrosecond);
  }
}

std::string with_context(const Results& results, const nlohmann::ordered_json& context) {
  auto json = nlohmann::ordered_json::parse(results.json());
  json.at("context").update(context);
  return json.dump(2) + "\n";
}

// The first case whose acceptance asked for memory.
std::optional<std::string> allocating_case(const Results& results) {
  for (const auto& [name, result] : results.by_name()) {
    if (name.find("/accept/") != name.npos && result.allocations > 0) return name;
  }
  return std::nullopt;
}

int run(const Options& options) {
  const std::vector<Suite> suites = all_suites(options);
  const std::vector<Entry> entries = chosen_entries(options, suites);
  if (entries.empty()) return complain(kCannotTrust, "no benchmark has such a name: nothing ran");
  if (options.action == Options::Action::kList) {
    for (const Entry& entry : entries) fmt::print("{}\n", entry.name);
    return kAsExpected;
  }
  std::optional<OutputFile> file;
  if (!options.out.empty()) file.emplace(options.out);
  for (const Suite& suite : suites) {
    if (const auto wrong = suite.first_wrong()) return complain(kCannotTrust, *wrong);
  }
  configure(options, entries.size());
  register_entries(entries);
  const nlohmann::ordered_json context = read_context(kSeed);
  Results results;
  progress_start(options.extent == Extent::kSmoke ? 0
                                                  : static_cast<double>(options.budget.count()));
  benchmark::RunSpecifiedBenchmarks(&results);
  progress_end();
  if (results.by_name().empty()) return complain(kCannotTrust, "nothing ran");
  if (file) file->finish(with_context(results, context));
  fmt::print("{}", results_table(results.by_name()));
  if (std::fflush(stdout) != 0) return complain(kCannotTrust, "standard output: cannot be written");
  if (const auto name = allocating_case(results)) {
    return complain(kMissedFigure, *name + ": accepting allocated memory");
  }
  return kAsExpected;
}

}  // namespace

int bench_main(int argc, char** argv) {
  try {
    const auto options = parse_options(argc, argv);
    return options ? run(*options) : kAsExpected;
  } catch (const UsageError& error) {
    return complain(kBadUsage, error.what());
  } catch (const OutputError& error) {
    return complain(kBadUsage, error.what());
  } catch (const std::exception& error) {
    return complain(kCannotTrust, error.what());
  }
}

}  // namespace prelaunch::bench

int main(int argc, char** argv) { return prelaunch::bench::bench_main(argc, argv); }
