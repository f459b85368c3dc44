// prelaunch-probe: whether every fuzzer finds again a bug that is planted to test it.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>

#include "fuzz/campaign/fuzzer.h"
#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/tool.h"
#include "fuzz/files.h"
#include "fuzz/proof/probe.h"

namespace prelaunch::fuzz {
namespace {

struct Options {
  std::vector<std::string> ops;
  std::uint64_t seed = std::random_device()();
  unsigned limit = 60;  // seconds
  std::filesystem::path json;
};

void print(const Probe& probe) {
  const std::string target = target_name(*probe.run.op, probe.run.profile);
  const std::string planted =
      fmt::format("{} ({})", planted::to_string(probe.run.planted), probe.what);
  if (probe.result.found) {
    fmt::print("{}: {} found after {:.1f} s, {}\n", target, planted, probe.result.seconds,
               probe.result.reason);
  } else {
    fmt::print("{}: {} NOT FOUND\n", target, planted);
  }
}

int probe_all(const Options& options) {
  const std::chrono::seconds limit{options.limit};
  std::vector<Probe> probes = choose_probes(ops_named(options.ops), options.seed);
  fmt::print("seed {}: one bug in each target, {} s at most to find it\n", options.seed,
             limit.count());
  std::fflush(stdout);
  run_probes(probes, limit);
  int code = 0;
  for (const Probe& probe : probes) {
    print(probe);
    if (probe.result.found) continue;
    fmt::print(stderr, "prelaunch probe: {}\n", sentence_of_missed(probe, limit));
    code = 3;
  }
  if (!options.json.empty()) {
    write_file(options.json, probes_json(probes, options.seed, limit).dump(1) + "\n");
  }
  return code;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Plants one bug in each target, in a contract or in a kernel, and lets its fuzzer look for "
      "it from an empty corpus.",
      "prelaunch probe");
  Options options;
  app.add_option("--ops", options.ops, "Only these ops")->delimiter(',');
  app.add_option("--seed", options.seed, "Decides which bugs; without it another one each time");
  app.add_option("--limit", options.limit, "For how long each is looked for, like 60s or 2m")
      ->transform(CLI::AsNumberWithUnit(std::map<std::string, unsigned>{{"s", 1}, {"m", 60}},
                                        CLI::AsNumberWithUnit::DEFAULT, "TIME"))
      ->check(CLI::Range(1u, 3600u))
      ->option_text("TIME=60s");
  app.add_option("--json", options.json, "Write the results to this file as well");
  app.footer(
      "A fuzzer that misses its bug would miss others: what it did not find says nothing.\n"
      "Exit codes: 0 all were found, 2 usage or bad input, 3 one was not, 130 interrupted.\n"
      "Example: prelaunch probe --ops ulysses_pack --seed 7");
  if (const auto code = parse_ended(app, argc, argv)) return *code;
  if (!options.json.empty()) expect_writable(options.json);
  catch_interrupts();
  return probe_all(options);
}

}  // namespace
}  // namespace prelaunch::fuzz

int main(int argc, char** argv) {
  return prelaunch::fuzz::run_tool("prelaunch probe", prelaunch::fuzz::run, argc, argv);
}
