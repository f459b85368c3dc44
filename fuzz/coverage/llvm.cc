#include "fuzz/coverage/llvm.h"

#include <fmt/format.h>

#include "fuzz/campaign/command.h"
#include "fuzz/campaign/tool.h"
#include "kernels/common/escape.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

constexpr const char* kMerge = "llvm-profdata-19";
constexpr const char* kShow = "llvm-cov-19";
constexpr std::size_t kMostSaid = 300;  // of an error, in a message

}  // namespace

CoverageTools::CoverageTools(fs::path program, const fs::path& counts,
                             std::vector<std::string> sources, fs::path scratch)
    : program_(std::move(program)), scratch_(std::move(scratch)), sources_(std::move(sources)) {
  for (const std::string& name : missing_programs({kMerge, kShow})) {
    throw Untrusted(name + " is missing: install the package llvm-19");
  }
  run_tool({kMerge, "merge", "-sparse", counts.string(), "-o", scratch_ / "profile"});
}

std::string CoverageTools::summary() const { return of_sources({"export", "-summary-only"}); }

void CoverageTools::write_pages(const fs::path& folder) const {
  of_sources({"show", "-format=html", "-show-branches=count", "-output-dir=" + folder.string()});
  std::error_code ignored;
  if (!fs::is_regular_file(folder / "index.html", ignored)) {
    throw Untrusted(fmt::format("{}: it wrote no index.html", kShow));
  }
}

std::string CoverageTools::of_sources(std::vector<std::string> words) const {
  words.insert(words.begin(), kShow);
  words.push_back("-instr-profile=" + (scratch_ / "profile").string());
  words.push_back(program_.string());
  words.insert(words.end(), sources_.begin(), sources_.end());
  return run_tool(std::move(words));
}

std::string CoverageTools::run_tool(std::vector<std::string> words) const {
  const std::string name = words.front();
  const Ended ended =
      run({.words = std::move(words), .environment = {}, .folder = scratch_}, scratch_ / "log");
  if (ended.code == 0) return ended.output;
  throw Untrusted(fmt::format("{}: expected exit code 0, got {}: {}", name, ended.code,
                              visible(ended.output.substr(0, kMostSaid))));
}

}  // namespace prelaunch::fuzz
