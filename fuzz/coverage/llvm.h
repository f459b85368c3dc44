// LLVM's coverage tools, run on a program that counts what it runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace prelaunch::fuzz {

class CoverageTools {
 public:
  // `counts` is what `program` wrote; `sources` is what is asked for. Files on the way go to
  // `scratch`. Throws Untrusted where a tool is missing or fails, here and below.
  CoverageTools(std::filesystem::path program, const std::filesystem::path& counts,
                std::vector<std::string> sources, std::filesystem::path scratch);

  // What `llvm-cov export -summary-only` prints.
  std::string summary() const;
  // Writes the sources with their counts as pages into `folder`, with an index.html.
  void write_pages(const std::filesystem::path& folder) const;

 private:
  // The output of `words`.
  std::string run_tool(std::vector<std::string> words) const;
  std::string of_sources(std::vector<std::string> words) const;

  std::filesystem::path program_, scratch_;
  std::vector<std::string> sources_;
};

}  // namespace prelaunch::fuzz
