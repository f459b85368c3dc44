#include "reports/triage.h"

#include "reports/schema.h"

namespace prelaunch::reports {
namespace {

Bucket read_bucket(const Node& node) {
  const auto rule = node.find("rule");
  return {.id = node.at("id").text(),
          .op = node.at("op").text(),
          .reason = node.at("reason").text(),
          .rule = rule ? std::optional(rule->text()) : std::nullopt,
          .description = node.at("description").text(),
          .call = node.at("call").text(),
          .test = node.at("test").text(),
          .replay = node.at("replay").text(),
          .reproduced = node.at("reproduced").boolean(),
          .findings = node.at("findings").texts(),
          .also = node.at("also").texts()};
}

}  // namespace

Triage parse_triage(std::string_view text) {
  const nlohmann::json json = parse_json(text);
  const Node root(json);
  expect_text(root.at("schema"), "prelaunch.triage/1");
  Triage triage;
  for (const Node& bucket : root.at("buckets").items()) {
    triage.buckets.push_back(read_bucket(bucket));
  }
  return triage;
}

}  // namespace prelaunch::reports
