// prelaunch-witness: what each rule is for, shown by stored calls.
#include <fmt/format.h>

#include "fuzz/campaign/tool.h"
#include "fuzz/files.h"
#include "fuzz/proof/corpus.h"
#include "fuzz/proof/matrix.h"
#include "kernels/common/provenance.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;

int run(int argc, char** argv) {
  CLI::App app("Shows for each rule what happens without it.", "prelaunch witness");
  if (const auto code = parse_ended(app, argc, argv)) return *code;
  bool findings = false;
  for (const OpInfo* op : all_ops()) {
    const auto calls = load_corpus(*op);
    for (const Witnessed& each : witness_matrix(*op, calls)) {
      fmt::print("{:<50} {:<10} {:<30} {} {}\n", numbered_id(*op, each.rule),
                 to_string(op->rules[each.rule].kind), to_string(*op, each.consequence),
                 each.call != nullptr ? each.call->named.name : "-",
                 each.neighbour ? each.neighbour->edit : "");
      if (!each.finding.empty()) {
        fmt::print("FINDING {}: {}\n", numbered_id(*op, each.rule), each.finding);
        findings = true;
      }
    }
  }
  return findings ? 1 : 0;
}

}  // namespace
}  // namespace prelaunch::fuzz

int main(int argc, char** argv) {
  return prelaunch::fuzz::run_tool("prelaunch witness", prelaunch::fuzz::run, argc, argv);
}
