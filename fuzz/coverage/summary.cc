#include "fuzz/coverage/summary.h"

#include <fmt/format.h>

#include <map>

#include "fuzz/campaign/tool.h"
#include "kernels/common/json_node.h"

namespace prelaunch::fuzz {
namespace {

Covered covered_of(const Node& summary, const char* what) {
  const Node node = summary.at(what);
  return {node.at("covered").count(), node.at("count").count()};
}

std::map<std::string, SourceCoverage> by_source(std::string_view text) {
  std::map<std::string, SourceCoverage> out;
  const nlohmann::json json = parse_json(text);
  for (const Node& data : Node(json).at("data").items()) {
    for (const Node& file : data.at("files").items()) {
      const Node summary = file.at("summary");
      out[file.at("filename").text()] = {covered_of(summary, "lines"),
                                         covered_of(summary, "branches")};
    }
  }
  return out;
}

}  // namespace

std::vector<SourceCoverage> read_summary(std::string_view json,
                                         const std::vector<std::string>& sources) {
  std::vector<SourceCoverage> out;
  try {
    const std::map<std::string, SourceCoverage> all = by_source(json);
    for (const std::string& source : sources) {
      const auto found = all.find(source);
      if (found == all.end() || found->second.lines.count == 0) {
        throw Untrusted(fmt::format("llvm-cov: expected lines of {}, got none", source));
      }
      out.push_back(found->second);
    }
  } catch (const JsonError& error) {
    throw Untrusted(fmt::format("llvm-cov: expected a summary, got: {}", error.what()));
  }
  return out;
}

}  // namespace prelaunch::fuzz
