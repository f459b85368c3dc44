// prelaunch-mutants: the mutation score of every contract.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "fuzz/campaign/tool.h"
#include "fuzz/files.h"
#include "fuzz/proof/corpus.h"
#include "fuzz/proof/score.h"
#include "kernels/common/provenance.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxReasons = std::size_t{1} << 20;

// The reasons beside a contract; none where there is no such file.
void load_reasons(const fs::path& path, std::vector<Equivalent>& out) {
  if (std::error_code ignored; !fs::exists(path, ignored)) return;
  const Json json = Json::parse(read_file(path, kMaxReasons), nullptr, false);
  if (!json.is_object()) throw FileError(path.string() + ": expected an object of reasons");
  for (const auto& [name, why] : json.items()) {
    if (!why.is_string() || why.get<std::string>().empty()) {
      throw FileError(fmt::format("{}: expected a reason for \"{}\"", path.string(), name));
    }
    out.push_back({name, why.get<std::string>()});
  }
}

void print(const OpInfo& op, const Score& score) {
  fmt::print("{}: {} of {} deletions noticed, {} of {} other changes ({} equivalent), {:.1f} s\n",
             op.name, score.deletions.killed, score.deletions.total, score.others.killed,
             score.others.total, score.others.equivalent, score.seconds);
  for (const Survivor& survivor : score.survivors) {
    if (!survivor.why.empty()) continue;
    const Change& change = survivor.change;
    fmt::print("FINDING not noticed: {}", change.name);
    fmt::print("{}\n",
               change.file.empty() ? "" : fmt::format(" ({}:{})", change.file, change.line));
  }
  for (const std::string& finding : score.findings) fmt::print("FINDING {}\n", finding);
}

bool has_findings(const Score& score) {
  return !score.findings.empty() ||
         std::any_of(score.survivors.begin(), score.survivors.end(),
                     [](const Survivor& survivor) { return survivor.why.empty(); });
}

int run(int argc, char** argv) {
  CLI::App app("Changes every contract in many small ways and asks whether the corpus notices.",
               "prelaunch mutants");
  std::vector<std::string> ops;
  app.add_option("--ops", ops, "Only these ops")->delimiter(',');
  if (const auto code = parse_ended(app, argc, argv)) return *code;
  const fs::path root = checkout();
  bool findings = false;
  for (const OpInfo* op : ops_named(ops)) {
    std::vector<Equivalent> reasons;
    load_reasons(root / "kernels" / op->name / "equivalent_mutants.json", reasons);
    const Score scored = score(*op, load_corpus(*op), reasons);
    print(*op, scored);
    findings |= has_findings(scored);
  }
  return findings ? 1 : 0;
}

}  // namespace
}  // namespace prelaunch::fuzz

int main(int argc, char** argv) {
  return prelaunch::fuzz::run_tool("prelaunch mutants", prelaunch::fuzz::run, argc, argv);
}
