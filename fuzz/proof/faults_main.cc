// prelaunch-faults: whether the corpus, and fuzzing from nothing, find the bugs seeded into
// kernels.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/tool.h"
#include "fuzz/files.h"
#include "fuzz/proof/context.h"
#include "fuzz/proof/corpus.h"
#include "fuzz/proof/fault_hunt.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> ops;
  fs::path json;
  bool corpus_only = false;
  unsigned seconds = 60;
  std::uint64_t seed = 1;
};

std::string column(const std::optional<Catch>& caught) {
  if (!caught) return "-";
  return fmt::format("{:.2f} s, {}{}", caught->seconds, caught->reason,
                     caught->by.empty() ? "" : " by " + caught->by);
}

// The fault that is none stands for the kernel as it is.
bool is_finding(const Hunt& hunt, bool fuzzed) {
  if (hunt.is_clean_kernel) return hunt.corpus || hunt.fuzz;
  return !hunt.corpus || (fuzzed && !hunt.fuzz);
}

void print(const Hunt& hunt, bool fuzzed) {
  fmt::print("{}{} {}: corpus {}", is_finding(hunt, fuzzed) ? "FINDING " : "", hunt.op->name,
             hunt.name, column(hunt.corpus));
  if (fuzzed) fmt::print("; fuzzing {}", column(hunt.fuzz));
  fmt::print("\n");
}

Json json_of(const std::optional<Catch>& caught) {
  if (!caught) return nullptr;
  Json out = {{"reason", caught->reason}, {"seconds", caught->seconds}};
  if (!caught->by.empty()) out["call"] = caught->by;
  return out;
}

Json json_of(const std::vector<Hunt>& hunts, const Options& options) {
  Json faults = Json::array(), clean = Json::array();
  for (const Hunt& hunt : hunts) {
    Json one = {{"op", hunt.op->name}, {"corpus", json_of(hunt.corpus)}};
    if (!options.corpus_only) one["fuzz"] = json_of(hunt.fuzz);
    if (hunt.is_clean_kernel) {
      clean.push_back(one);
      continue;
    }
    one["name"] = hunt.name;
    one["what"] = hunt.what;
    faults.push_back(one);
  }
  return {{"context", context_json(options.seed)},
          {"seconds_each", options.corpus_only ? Json(nullptr) : Json(options.seconds)},
          {"faults", faults},
          {"clean", clean}};
}

// Whether nothing was looked for: no bug is listed, or the kernel as it is fails.
bool lacks_faults(const OpInfo& op, const std::vector<Hunt>& hunts) {
  const bool found = std::any_of(hunts.begin(), hunts.end(), [&op](const Hunt& hunt) {
    return hunt.op == &op && !hunt.is_clean_kernel;
  });
  if (!found) fmt::print("FINDING {}: no seeded bug was looked for\n", op.name);
  return !found;
}

int hunt_all(const Options& options) {
  std::vector<Hunt> hunts;
  for (const OpInfo* op : ops_named(options.ops)) {
    for (Hunt& hunt : hunt_with_corpus(*op, load_corpus(*op))) hunts.push_back(std::move(hunt));
  }
  if (!options.corpus_only) {
    fmt::print("fuzzing from an empty corpus, seed {}, {} s each\n", options.seed, options.seconds);
    hunt_with_fuzzers(hunts, options.seed, std::chrono::seconds{options.seconds});
  }
  std::size_t findings = 0, faults = 0;
  for (const OpInfo* op : ops_named(options.ops)) findings += lacks_faults(*op, hunts);
  for (const Hunt& hunt : hunts) {
    print(hunt, !options.corpus_only);
    findings += is_finding(hunt, !options.corpus_only);
    faults += !hunt.is_clean_kernel;
  }
  fmt::print("{} seeded bugs, {} findings\n", faults, findings);
  if (!options.json.empty()) write_file(options.json, json_of(hunts, options).dump(1) + "\n");
  return findings > 0 ? 1 : 0;
}

int run(int argc, char** argv) {
  CLI::App app("Seeds bugs into the kernels, one at a time, and looks who finds them.",
               "prelaunch faults");
  Options options;
  app.add_option("--ops", options.ops, "Only these ops")->delimiter(',');
  app.add_option("--json", options.json, "Write the table to this file as well");
  app.add_flag("--corpus-only", options.corpus_only, "Do not fuzz");
  app.add_option("--seconds", options.seconds, "Fuzz each for so long, unless it is found")
      ->check(CLI::Range(1u, 3600u))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of the fuzzers")->capture_default_str();
  app.footer(
      "A bug that the corpus or a fuzzer misses, and one that is reported where none is seeded, is "
      "a "
      "finding.\nExit codes: 0 as expected, 1 finding, 2 usage or bad input, 3 the result cannot "
      "be trusted, 130 "
      "interrupted.\n"
      "Example: prelaunch faults --ops kda_replayssm --corpus-only");
  if (const auto code = parse_ended(app, argc, argv)) return *code;
  if (!options.json.empty()) expect_writable(options.json);
  catch_interrupts();
  return hunt_all(options);
}

}  // namespace
}  // namespace prelaunch::fuzz

int main(int argc, char** argv) {
  return prelaunch::fuzz::run_tool("prelaunch faults", prelaunch::fuzz::run, argc, argv);
}
