#include "reports/night.h"

#include "reports/schema.h"

namespace prelaunch::reports {
namespace {

constexpr const char* kSchema = "prelaunch.nightly/1";

}  // namespace

std::string Night::to_json() const {
  const nlohmann::json json = {
      {"schema", kSchema}, {"interrupted", interrupted}, {"troubles", troubles}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Night parse_night(std::string_view text) {
  const nlohmann::json json = parse_json(text);
  const Node root(json);
  expect_text(root.at("schema"), kSchema);
  return {.interrupted = root.at("interrupted").boolean(), .troubles = root.at("troubles").texts()};
}

}  // namespace prelaunch::reports
