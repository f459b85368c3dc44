// prelaunch-mutants: the mutation score of every contract.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/tool.h"
#include "fuzz/files.h"
#include "fuzz/proof/context.h"
#include "fuzz/proof/corpus.h"
#include "fuzz/proof/mutant_fuzz.h"
#include "fuzz/proof/score.h"
#include "fuzz/proof/search.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxReasons = std::size_t{1} << 20;

struct Options {
  std::vector<std::string> ops;
  fs::path json, find;
  bool fuzz = false;
  MutantFuzz how;
};

// The reasons in a file; none where there is no such file.
std::vector<Equivalent> load_reasons(const fs::path& folder) {
  const fs::path path = folder / kReasonsFile;
  std::vector<Equivalent> out;
  if (std::error_code ignored; !fs::exists(path, ignored)) return out;
  const Json json = Json::parse(read_file(path, kMaxReasons), nullptr, false);
  if (!json.is_object()) {
    throw FileError(path.string() + ": expected a JSON object of reasons by change");
  }
  for (const auto& [name, why] : json.items()) {
    if (!why.is_string() || why.get<std::string>().empty()) {
      throw FileError(fmt::format("{}: expected a reason for \"{}\"", path.string(), name));
    }
    out.push_back({name, why.get<std::string>()});
  }
  return out;
}

std::string place_of(const Change& change) {
  return change.file.empty() ? "" : fmt::format(" ({}:{})", change.file, change.line);
}

std::size_t print_findings(const std::vector<std::string>& findings) {
  for (const std::string& finding : findings) fmt::print("FINDING {}\n", finding);
  return findings.size();
}

std::size_t print(const OpInfo& op, const Score& score) {
  std::size_t findings = 0;
  const Tally& others = score.others;
  fmt::print(
      "{}: {} of {} deletions noticed; {} of {} other changes, and {} make no difference; {:.1f} "
      "s\n",
      op.name, score.deletions.killed, score.deletions.total, others.killed, others.total,
      others.equivalent, score.seconds);
  for (const Survivor& survivor : score.survivors) {
    if (!survivor.why.empty()) continue;
    fmt::print("FINDING not noticed: {}{}\n", survivor.change.name, place_of(survivor.change));
    ++findings;
  }
  return findings + print_findings(score.findings);
}

void print(const OpInfo& op, const FuzzScore& score) {
  fmt::print(
      "{}: of {} changes, fuzzing noticed {} (median {:.3f} s, worst {:.3f} s), calls without "
      "feedback {} (median {:.3f} s, worst {:.3f} s)\n",
      op.name, score.sample, score.fuzz.found, score.fuzz.median, score.fuzz.worst,
      score.random.found, score.random.median, score.random.worst);
  for (const std::string& name : score.missed) fmt::print("  fuzzing missed {}\n", name);
}

Json json_of(const Score& score) {
  Json survivors = Json::array();
  for (const Survivor& survivor : score.survivors) {
    survivors.push_back(
        {{"change", survivor.change.name},
         {"file", survivor.change.file},
         {"line", survivor.change.line},
         {"equivalent", survivor.why.empty() ? Json(nullptr) : Json(survivor.why)}});
  }
  return {{"deletions", {{"total", score.deletions.total}, {"killed", score.deletions.killed}}},
          {"others",
           {{"total", score.others.total},
            {"killed", score.others.killed},
            {"equivalent", score.others.equivalent}}},
          {"corpus_seconds", score.seconds},
          {"survivors", survivors}};
}

void add(Json& json, const FuzzScore& score) {
  json["fuzz_seconds_median"] = score.fuzz.median;
  json["fuzz_seconds_worst"] = score.fuzz.worst;
  json["fuzz_noticed"] = score.fuzz.found;
  json["random_seconds_median"] = score.random.median;
  json["random_seconds_worst"] = score.random.worst;
  json["random_noticed"] = score.random.found;
  json["fuzz_sample"] = score.sample;
}

void write_found(const OpInfo& op, const std::vector<StoredCall>& calls, const Score& score,
                 const fs::path& folder) {
  std::vector<Change> missed;
  for (const Survivor& survivor : score.survivors) {
    if (survivor.why.empty()) missed.push_back(survivor.change);
  }
  make_folder(folder / op.name);
  const std::vector<NamedCall> found = find_calls(op, calls, missed);
  for (const NamedCall& named : found) {
    write_file(folder / op.name / (named.name + ".json"), format_call(op, named));
  }
  fmt::print("{}: for {} of what is not noticed, {} calls in {}\n", op.name, missed.size(),
             found.size(), (folder / op.name).string());
}

// What makes a difference.
std::vector<Change> noticeable(std::vector<Change> changes, const Score& score) {
  std::erase_if(changes, [&score](const Change& change) {
    return std::any_of(score.survivors.begin(), score.survivors.end(),
                       [&change](const Survivor& each) {
                         return !each.why.empty() && each.change.name == change.name;
                       });
  });
  return changes;
}

// What no op's corpus comes by, and reasons for what is not there any more.
std::size_t print_shared(const std::vector<std::vector<Change>>& reached,
                         const std::vector<Equivalent>& reasons) {
  std::vector<std::string> findings;
  std::set<std::string> names;
  for (const Change& change : unreached(reached)) {
    findings.push_back(fmt::format("no stored call comes by {}{}", change.name, place_of(change)));
    names.insert(change.name);
  }
  for (const std::vector<Change>& of_op : reached) {
    for (const Change& change : of_op) names.insert(change.name);
  }
  for (const Equivalent& each : reasons) {
    if (names.contains(each.name)) continue;
    findings.push_back(fmt::format(
        "\"{}\" is called equivalent, but there is no such change: take it out of common/{}",
        each.name, kReasonsFile));
  }
  return print_findings(findings);
}

int score_all(const Options& options) {
  Json ops = Json::object();
  std::size_t findings = 0;
  const fs::path kernels = checkout() / "kernels";
  const std::vector<Equivalent> shared = load_reasons(kernels / "common");
  std::vector<std::vector<Change>> reached;
  for (const OpInfo* op : ops_named(options.ops)) {
    const std::vector<StoredCall> calls = load_corpus(*op);
    if (const auto wrong = misjudged(calls); !wrong.empty()) {
      findings += print_findings(wrong);
      continue;
    }
    const Score scored = score(*op, calls, {load_reasons(kernels / op->name), shared});
    findings += print(*op, scored);
    reached.push_back(changes_of(*op, calls));
    Json& json = ops[std::string(op->name)] = json_of(scored);
    if (!options.find.empty()) write_found(*op, calls, scored, options.find);
    if (!options.fuzz) continue;
    const FuzzScore fuzzed = fuzz_changes(*op, noticeable(reached.back(), scored), options.how);
    print(*op, fuzzed);
    add(json, fuzzed);
  }
  if (reached.size() == all_ops().size()) findings += print_shared(reached, shared);
  const Json json = {{"context", context_json(options.how.seed)}, {"ops", ops}};
  if (!options.json.empty()) write_file(options.json, json.dump(1) + "\n");
  return findings > 0 ? 1 : 0;
}

int run(int argc, char** argv) {
  CLI::App app("Changes every contract in many small ways and asks whether the corpus notices.",
               "prelaunch mutants");
  Options options;
  app.add_option("--ops", options.ops, "Only these ops")->delimiter(',');
  app.add_option("--json", options.json, "Write the score to this file as well");
  app.add_option("--find", options.find,
                 "Write into this folder calls that notice what the corpus does not; look at each "
                 "before keeping it");
  app.add_flag(
      "--fuzz", options.fuzz,
      "Also let fuzzers notice a sample of the changes that make a difference, from an empty "
      "corpus");
  app.add_option("--sample", options.how.sample, "How many of an op")
      ->check(CLI::Range(1u, 10'000u))
      ->capture_default_str();
  app.add_option("--seconds", options.how.seconds, "For how long each")
      ->check(CLI::Range(1u, 25u))
      ->capture_default_str();
  app.add_option("--seed", options.how.seed, "Of the sample and the fuzzers")
      ->capture_default_str();
  app.footer(
      "A change that no stored call notices is a finding, unless equivalent_mutants.json beside "
      "the "
      "contract\nsays why it makes no difference.\n"
      "Exit codes: 0 as expected, 1 finding, 2 usage or bad input, 3 the result cannot be trusted, "
      "130 "
      "interrupted.\n"
      "Example: prelaunch mutants --ops ulysses_pack --json score.json");
  if (const auto code = parse_ended(app, argc, argv)) return *code;
  if (!options.json.empty()) expect_writable(options.json);
  catch_interrupts();
  return score_all(options);
}

}  // namespace
}  // namespace prelaunch::fuzz

int main(int argc, char** argv) {
  return prelaunch::fuzz::run_tool("prelaunch mutants", prelaunch::fuzz::run, argc, argv);
}
