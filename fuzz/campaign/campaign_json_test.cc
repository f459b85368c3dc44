#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/temp_folder.h"

namespace prelaunch::fuzz {
namespace {

using Json = nlohmann::json;

CampaignResult clean_result() {
  CampaignResult result;
  result.provenance.commit = "abc";
  result.seed = 7;
  result.seconds = 2.5;
  TargetResult& target = result.targets.emplace_back();
  target.op = &pack();
  target.profile = Profile::kExecute;
  target.stats = {.executions = 100,
                  .accepted = 60,
                  .rejected = 40,
                  .executed = 50,
                  .valid = 47,
                  .violations = 46,
                  .fired = {}};
  target.stats.fired[rule_index(pack(), "qkv.cuda")] = 11;
  target.seconds = 4;
  target.corpus = 9;
  target.features = 33;
  return result;
}

const Finding kFinding{.id = "an-id",
                       .reason = "wrong_result",
                       .rule = "",
                       .detail = "bytes \xff and \"quotes\"",
                       .call = "findings/an-id.json",
                       .replay = "./prelaunch replay x"};

TEST(CampaignJson, VerdictAndExitCodeAgree) {
  CampaignResult result = clean_result();
  EXPECT_EQ(result.verdict(), "clean");
  EXPECT_EQ(result.exit_code(), 0);
  result.targets[0].findings.push_back(kFinding);
  EXPECT_EQ(result.verdict(), "findings");
  EXPECT_EQ(result.exit_code(), 1);
  result.untrusted.push_back("a reason");
  EXPECT_EQ(result.verdict(), "untrusted");
  EXPECT_EQ(result.exit_code(), 3);
  result.interrupted = true;
  EXPECT_EQ(result.exit_code(), 130);
}

TEST(CampaignJson, HasEveryField) {
  const Json json = Json::parse(campaign_json(clean_result()));
  EXPECT_EQ(json["schema"], "prelaunch.campaign/1");
  EXPECT_EQ(json["verdict"], "clean");
  EXPECT_EQ(json["reasons"], Json::array());
  for (const char* key :
       {"commit", "dirty", "machine", "cpu", "cores", "gpu", "compiler", "flags", "sanitizers",
        "seed", "started", "seconds", "interrupted", "ended", "shard", "merged"}) {
    EXPECT_TRUE(json["context"].contains(key)) << key;
  }
  EXPECT_EQ(json["context"]["seed"], 7);
  EXPECT_EQ(json["context"]["seconds"], 2.5);
  const Json& target = json["targets"][0];
  EXPECT_EQ(target["op"], "ulysses_pack");
  EXPECT_EQ(target["profile"], "execute");
  EXPECT_EQ(target["engine"], "libfuzzer");
  EXPECT_EQ(target["executions"], 100);
  EXPECT_EQ(target["executions_per_second"], 25.0);
  EXPECT_EQ(target["accepted"], 60);
  EXPECT_EQ(target["rejected"], 40);
  EXPECT_EQ(target["executed"], 50);
  EXPECT_EQ(target["valid"], 47);
  EXPECT_EQ(target["violations"], 46);
  EXPECT_EQ(target["corpus"], 9);
  EXPECT_EQ(target["features"], 33);
  EXPECT_EQ(target["findings"], Json::array());
}

TEST(CampaignJson, SaysWhichShardOrWhatWasMerged) {
  CampaignResult result = clean_result();
  Json context = Json::parse(campaign_json(result))["context"];
  EXPECT_EQ(context["ended"], true);
  EXPECT_EQ(context["shard"], nullptr);
  EXPECT_EQ(context["merged"], nullptr);
  result.shard = Shard{.index = 2, .count = 8};
  result.merged = {"a", "b"};
  result.ended = false;
  context = Json::parse(campaign_json(result))["context"];
  EXPECT_EQ(context["ended"], false);
  EXPECT_EQ(context["shard"], (Json{{"index", 2}, {"count", 8}}));
  EXPECT_EQ(context["merged"], (Json{"a", "b"}));
}

TEST(CampaignJson, CountsEachRuleById) {
  CampaignResult result = clean_result();
  std::set<std::string> ids;
  std::uint64_t size_fired = 0;
  for (std::size_t rule = 0; rule < pack().rules.size(); ++rule) {
    ids.insert(full_id(pack(), rule));
    if (pack().rules[rule].id() != "out.size") continue;
    result.targets[0].stats.fired[rule] = 3;
    size_fired += 3;
  }
  const Json fired = Json::parse(campaign_json(result))["targets"][0]["rules_fired"];
  EXPECT_EQ(fired.size(), ids.size());
  EXPECT_EQ(fired["ulysses_pack.qkv.cuda"], 11);
  EXPECT_EQ(fired["ulysses_pack.q.rank"], 0);
  EXPECT_EQ(fired["ulysses_pack.out.size"], size_fired) << "two rules share this id";
}

TEST(CampaignJson, IsTextWhateverAFindingHolds) {
  CampaignResult result = clean_result();
  result.targets[0].findings = {kFinding, kFinding};
  result.targets[0].findings[1].rule = "ulysses_pack.q.rank";
  result.untrusted = {"reason \x80"};
  const Json json = Json::parse(campaign_json(result));
  const Json& findings = json["targets"][0]["findings"];
  EXPECT_EQ(findings[0]["id"], "an-id");
  EXPECT_EQ(findings[0]["reason"], "wrong_result");
  EXPECT_EQ(findings[0]["rule"], nullptr);
  EXPECT_EQ(findings[0]["call"], "findings/an-id.json");
  EXPECT_EQ(findings[0]["replay"], "./prelaunch replay x");
  EXPECT_EQ(findings[0]["detail"], "bytes \xef\xbf\xbd and \"quotes\"");
  EXPECT_EQ(findings[1]["rule"], "ulysses_pack.q.rank");
  EXPECT_EQ(json["verdict"], "untrusted");
  EXPECT_EQ(json["reasons"].size(), 1u);
}

TEST(CampaignJson, ATargetThatNeverRanHasNoRate) {
  CampaignResult result = clean_result();
  for (const double seconds : {0.0, 1e-320}) {
    result.targets[0].seconds = seconds;
    EXPECT_EQ(Json::parse(campaign_json(result))["targets"][0]["executions_per_second"], 0.0);
  }
}

}  // namespace
}  // namespace prelaunch::fuzz
