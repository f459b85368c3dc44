// prelaunch-witness: what each rule is for, shown by stored calls.
#include <fmt/format.h>

#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/tool.h"
#include "fuzz/files.h"
#include "fuzz/proof/context.h"
#include "fuzz/proof/corpus.h"
#include "fuzz/proof/matrix.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> ops;
  fs::path json;
  bool quiet = false;
};

void print(const OpInfo& op, const Witnessed& each) {
  const RuleInfo& rule = op.rules[each.rule];
  fmt::print("{} ({})\n", numbered_id(op, each.rule), to_string(rule.kind));
  if (each.call == nullptr) return;
  fmt::print("  call       {}\n  good       {}\n  edit       {}\n  left out   {}\n",
             path_of(*each.call), path_of(*each.neighbour->call), each.neighbour->edit,
             to_string(op, each.consequence));
  if (!rule.why.empty()) fmt::print("  why        {}\n", rule.why);
}

Json json_of(const OpInfo& op, const Witnessed& each) {
  Json out = {{"id", numbered_id(op, each.rule)},
              {"op", op.name},
              {"kind", to_string(op.rules[each.rule].kind)},
              {"call", nullptr},
              {"skipped", "none"},
              {"neighbour", nullptr},
              {"edit", nullptr}};
  if (each.call == nullptr) return out;
  out["call"] = path_of(*each.call);
  out["skipped"] = to_string(op, each.consequence);
  out["neighbour"] = path_of(*each.neighbour->call);
  // From the good call to the one that the rule rejects.
  out["edit"] = each.neighbour->edit;
  return out;
}

int show_all(const Options& options) {
  Json rules = Json::array(), findings = Json::array();
  for (const OpInfo* op : ops_named(options.ops)) {
    const std::vector<StoredCall> calls = load_corpus(*op);
    std::size_t shown = 0;
    const auto find = [&findings](const std::string& text) {
      findings.push_back(text);
      fmt::print("FINDING {}\n", text);
    };
    for (const std::string& wrong : misjudged(calls)) find(wrong);
    for (const Witnessed& each : witness_matrix(*op, calls)) {
      if (!options.quiet) print(*op, each);
      rules.push_back(json_of(*op, each));
      shown += each.finding.empty();
      if (!each.finding.empty()) find(numbered_id(*op, each.rule) + ": " + each.finding);
    }
    fmt::print("{}: {} of {} rules are shown to be needed\n", op->name, shown, op->rules.size());
  }
  const Json json = {{"context", context_json(0)}, {"rules", rules}, {"findings", findings}};
  if (!options.json.empty()) write_file(options.json, json.dump(1) + "\n");
  return findings.empty() ? 0 : 1;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Shows for each rule a stored call that breaks it, the good call next to that, and "
      "what happens when the rule is left out.",
      "prelaunch witness");
  Options options;
  app.add_option("--ops", options.ops, "Only these ops")->delimiter(',');
  app.add_option("--json", options.json, "Write the matrix to this file as well");
  app.add_flag("--quiet", options.quiet, "Print findings and a line an op only");
  app.footer(
      "The call is run in the memory of the good one: its kernel faults, or its result is wrong, "
      "or "
      "another rule\nrejects it. A safety or semantics rule without such a consequence is a "
      "finding, "
      "and so is a rule that no\nstored call breaks alone, or a policy without a reason.\n"
      "Exit codes: 0 as expected, 1 finding, 2 usage or bad input, 3 the result cannot be trusted, "
      "130 "
      "interrupted.\n"
      "Example: prelaunch witness --ops ulysses_pack");
  if (const auto code = parse_ended(app, argc, argv)) return *code;
  if (!options.json.empty()) expect_writable(options.json);
  catch_interrupts();
  return show_all(options);
}

}  // namespace
}  // namespace prelaunch::fuzz

int main(int argc, char** argv) {
  return prelaunch::fuzz::run_tool("prelaunch witness", prelaunch::fuzz::run, argc, argv);
}
