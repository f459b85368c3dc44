#include "reports/coverage.h"

#include <fmt/format.h>

#include "reports/schema.h"

namespace prelaunch::reports {
namespace {

std::string within_checkout(const std::string& path) {
  const std::size_t kernels = path.rfind("kernels/");
  return kernels == std::string::npos ? path : path.substr(kernels);
}

Covered read_covered(const Node& node) {
  const Covered covered{.covered = node.at("covered").count(), .count = node.at("count").count()};
  if (covered.covered > covered.count) {
    node.at("covered").unexpected(fmt::format("at most the count, {}", covered.count));
  }
  return covered;
}

CoveredFile read_covered_file(const Node& node) {
  const Node summary = node.at("summary");
  return {.name = within_checkout(node.at("filename").text()),
          .lines = read_covered(summary.at("lines")),
          .branches = read_covered(summary.at("branches"))};
}

}  // namespace

Coverage parse_coverage(std::string_view text) {
  const nlohmann::json json = parse_json(text);
  const Node root(json);
  expect_text(root.at("type"), "llvm.coverage.json.export");
  Coverage coverage;
  for (const Node& part : root.at("data").items()) {
    for (const Node& file : part.at("files").items()) {
      coverage.files.push_back(read_covered_file(file));
    }
  }
  return coverage;
}

}  // namespace prelaunch::reports
