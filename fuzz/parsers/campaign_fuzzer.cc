// campaign.json, as merging reads it: a text is refused in one printable line, or what it says is
// written as a text that says the same. Names of files stay in their folders.
#include <optional>

#include "fuzz/campaign/campaign_read.h"
#include "fuzz/campaign/finding.h"
#include "kernels/common/json_node.h"
#include "kernels/common/property.h"

using namespace prelaunch;
using namespace prelaunch::fuzz;

namespace {

std::optional<CampaignResult> read(std::string_view text) {
  try {
    return parse_campaign(text);
  } catch (const JsonError& error) {
    claim_line(error.what());
    return std::nullopt;
  }
}

void check_kept(const nlohmann::json& was, const nlohmann::json& is,
                std::initializer_list<const char*> keys) {
  for (const char* key : keys) claim(was.at(key) == is.at(key), "what was counted is kept");
}

// Reading may drop what it does not know, and doubt the verdict.
void check_kept(const nlohmann::json& was, const nlohmann::json& is) {
  check_kept(was["context"], is["context"], {"dirty", "cores", "seed", "seconds", "interrupted"});
  for (std::size_t i = 0; i < was["targets"].size(); ++i) {
    claim(is["targets"][i]["executions_per_second"].is_number(), "a rate is a number");
    check_kept(was["targets"][i], is["targets"][i],
               {"op", "profile", "executions", "seconds", "accepted", "rejected", "executed",
                "corpus", "features"});
  }
}

void check(const Finding& finding) {
  claim(is_finding_id(finding.id), "a finding's id may name a file");
  claim(finding.call.find("/../") == finding.call.npos && finding.call.ends_with(".json") &&
            (finding.call.starts_with("findings/") || finding.call.starts_with("corpus/")),
        "a finding's call is a file of the folders of calls");
  for (const auto& text : {finding.reason, finding.detail, finding.replay}) claim_shown(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view given(reinterpret_cast<const char*>(data), size);
  const auto result = read(given);
  if (!result) return 0;
  for (const std::string& reason : result->untrusted) claim_shown(reason);
  for (const TargetResult& target : result->targets) {
    for (const Finding& finding : target.findings) check(finding);
  }
  const std::string text = campaign_json(*result);
  check_kept(parse_json(given), parse_json(text));
  const auto again = read(text);
  claim(again && campaign_json(*again) == text, "what was read is written as it reads");
  return 0;
}
