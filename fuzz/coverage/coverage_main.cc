// prelaunch-coverage: how much of each contract the corpus and the found inputs cover.
#include <fmt/format.h>

#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/tool.h"
#include "fuzz/coverage/counted_calls.h"
#include "fuzz/coverage/llvm.h"
#include "fuzz/coverage/summary.h"
#include "fuzz/files.h"
#include "fuzz/temp_folder.h"
#include "kernels/common/provenance.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;

struct Options {
  fs::path out;
  std::vector<std::string> ops;
};

std::string text_of(const Covered& covered) {
  return fmt::format("{} of {}", covered.covered, covered.count);
}

CallCounts judge_all(const OpInfo& op) {
  const fs::path corpus = checkout() / "corpus";
  const CallCounts counts = judge_calls(op, corpus);
  if (counts.stored + counts.found > 0) return counts;
  throw Untrusted(fmt::format("{}: expected calls in {} or inputs in {}, got none", op.name,
                              (corpus / op.name).string(), (corpus / ".work").string()));
}

// Puts the folder `fresh` where an older `folder` may be, which goes to `old`.
void replace_folder(const fs::path& folder, const fs::path& fresh, const fs::path& old) {
  std::error_code error;
  fs::rename(folder, old, error);
  if (!error || error == std::errc::no_such_file_or_directory) fs::rename(fresh, folder, error);
  if (error) throw FileError(fmt::format("{}: cannot write: {}", folder.string(), error.message()));
}

int cover(const Options& options) {
  const std::vector<const OpInfo*> ops = ops_named(options.ops);
  make_folder(options.out);
  const fs::path out = fs::absolute(options.out);
  const TempFolder scratch(out);
  std::vector<CallCounts> calls;
  std::vector<std::string> contracts;
  for (const OpInfo* op : ops) {
    calls.push_back(judge_all(*op));
    contracts.push_back(fmt::format("{}/kernels/{}/contract.h", PRELAUNCH_SOURCE_DIR, op->name));
  }
  write_counts(scratch / "counts");
  const CoverageTools tools(fs::read_symlink("/proc/self/exe"), scratch / "counts", contracts,
                            scratch.path());
  const std::string summary = tools.summary();
  const std::vector<SourceCoverage> coverage = read_summary(summary, contracts);
  tools.write_pages(scratch / "pages");
  replace_folder(out / "coverage", scratch / "pages", scratch / "old");
  write_file(out / "coverage.json", summary);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    fmt::print("{}: {} lines, {} branches, by {} stored calls and {} found inputs\n", ops[i]->name,
               text_of(coverage[i].lines), text_of(coverage[i].branches), calls[i].stored,
               calls[i].found);
  }
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Measures how much of each contract the stored calls and the inputs that campaigns found "
      "cover.",
      "prelaunch coverage");
  Options options;
  app.add_option("dir", options.out,
                 "Folder for coverage.json and, replacing what is there, coverage/index.html")
      ->required();
  app.add_option("--ops", options.ops, "Only these ops")->delimiter(',');
  app.footer(
      "Exit codes: 0 as expected, 2 usage or bad input, 3 the result cannot be trusted, "
      "130 interrupted.\n"
      "Example: prelaunch coverage /tmp/run --ops ulysses_pack");
  if (const auto code = parse_ended(app, argc, argv)) return *code;
  catch_interrupts();
  return cover(options);
}

}  // namespace
}  // namespace prelaunch::fuzz

int main(int argc, char** argv) {
  return prelaunch::fuzz::run_tool("prelaunch coverage", prelaunch::fuzz::run, argc, argv);
}
