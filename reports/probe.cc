#include "reports/probe.h"

#include <fmt/format.h>

#include "reports/schema.h"

namespace prelaunch::reports {
namespace {

Probed read_probed(const Node& node) {
  return {.op = node.at("op").text(),
          .profile = node.at("profile").text(),
          .planted = node.at("planted").text(),
          .what = node.at("what").text(),
          .found = node.at("found").boolean(),
          .seconds = node.at("seconds").amount(),
          .limit = node.at("limit").amount()};
}

}  // namespace

std::vector<std::string> Probe::doubts() const {
  if (targets.empty()) return {"no bug was planted to test the fuzzers"};
  std::vector<std::string> doubts;
  for (const Probed& target : targets) {
    if (target.found) continue;
    doubts.push_back(
        fmt::format("{} {} did not find the bug planted to test it within {:g} s ({}: {})",
                    target.op, target.profile, target.limit, target.planted, target.what));
  }
  return doubts;
}

Probe parse_probe(std::string_view text) {
  const nlohmann::json json = parse_json(text);
  const Node root(json);
  expect_text(root.at("schema"), "prelaunch.probe/1");
  Probe probe{.seed = root.at("seed").count(), .targets = {}};
  for (const Node& target : root.at("targets").items()) {
    probe.targets.push_back(read_probed(target));
  }
  return probe;
}

}  // namespace prelaunch::reports
