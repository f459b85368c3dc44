// Bugs planted in an op's judge: each must become one bucket, with a call that is small.
#include "fuzz/triage/triage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "fuzz/campaign/replay.h"
#include "fuzz/campaign/temp_folder.h"
#include "fuzz/codec.h"
#include "fuzz/difference.h"
#include "fuzz/triage/bucket.h"
#include "fuzz/triage/drawn_case.h"

namespace prelaunch::fuzz {
namespace {

// What is planted, for the judge below: a function pointer holds no state.
struct Planted {
  std::size_t hole = kNoRule;    // the rule that is left out
  std::int64_t wrong_from = -1;  // results are wrong for this head_size and larger ones
  std::int64_t fault_of = -1;    // a fault for this world_size
};
Planted planted;

std::size_t field(std::string_view name) {
  std::size_t i = 0;
  while (pack().fields[i].name != name) ++i;
  return i;
}
std::int64_t head_size(const Call& call) { return call.values[field("q")].tensor.shape[2]; }
std::int64_t world_size(const Call& call) { return call.values[field("world_size")].integer; }

__attribute__((noinline)) void fault_on_purpose() { raise(SIGSEGV); }

Judgement judge_with_bugs(const Call& call, const Expectation& expect, const JudgeOptions& given) {
  JudgeOptions options = given;
  options.without_rule = planted.hole;
  Judgement judgement = pack().judge(call, expect, options);
  if (!judgement.accepted || judgement.runs == 0) return judgement;
  if (world_size(call) == planted.fault_of) fault_on_purpose();
  if (planted.wrong_from >= 0 && head_size(call) >= planted.wrong_from) {
    judgement.reason = Reason::kWrongResult;
    judgement.detail = "out[0, 1] is 2, expected 3";
  }
  return judgement;
}

const OpInfo& buggy_pack() {
  static const OpInfo op = [] {
    OpInfo out = pack();
    out.judge = judge_with_bugs;
    return out;
  }();
  return op;
}

Trial draw(std::size_t seed) {
  Choices choose(seed);
  Trial out;
  out.expect = buggy_pack().generate(choose, out.call);
  canonical(buggy_pack(), out.call);
  return out;
}

// The first findings that the generator comes by.
std::vector<Case> find(std::size_t count) {
  std::vector<Case> out;
  judge_each(buggy_pack(), 20'000, draw, [&](std::size_t seed, const Sighting& seen) {
    if (!seen.is_finding()) return true;
    Finding finding{fmt::format("finding-{}", seed), seen.reason, "", seen.detail, "", ""};
    out.push_back({&buggy_pack(), finding, draw(seed)});
    return out.size() < count;
  });
  return out;
}

std::vector<Bucket> sorted(const std::vector<Case>& cases) {
  return sort_into_buckets(cases, [](const char*, std::size_t, std::size_t) {});
}

std::vector<std::string> descriptions(const std::vector<Bucket>& buckets) {
  std::vector<std::string> out;
  for (const Bucket& bucket : buckets) out.push_back(describe_bucket(bucket));
  return out;
}

class Triaged : public testing::Test {
 protected:
  void TearDown() override { planted = {}; }
};

TEST_F(Triaged, ThreeBugsAreThreeBuckets) {
  planted = {.hole = rule_index(pack(), "qkv.cuda"), .wrong_from = 24, .fault_of = 2};
  const std::vector<Case> cases = find(40);
  const std::vector<Bucket> buckets = sorted(cases);
  ASSERT_EQ(buckets.size(), 3u) << testing::PrintToString(descriptions(buckets));
  EXPECT_EQ(buckets[0].seen.rule, planted.hole) << describe_bucket(buckets[0]);
  std::size_t findings = 0;
  for (const Bucket& bucket : buckets) findings += bucket.findings.size();
  EXPECT_EQ(findings, cases.size());
}

TEST_F(Triaged, ACallThatAHoleLetsThroughIsOneEditFromTheDefaultCall) {
  planted.hole = rule_index(pack(), "qkv.cuda");
  const std::vector<Bucket> buckets = sorted(find(10));
  ASSERT_EQ(buckets.size(), 1u) << testing::PrintToString(descriptions(buckets));
  const auto changed = differences(pack(), default_call(pack()), buckets[0].smallest.call);
  EXPECT_LE(changed.size(), 3u) << describe_bucket(buckets[0]);
  for (const Difference& each : changed) EXPECT_EQ(each.property, "device");
}

TEST_F(Triaged, AWrongResultIsShownByTheLeastSizeThatHasIt) {
  planted.wrong_from = 24;
  const std::vector<Bucket> buckets = sorted(find(10));
  ASSERT_EQ(buckets.size(), 1u) << testing::PrintToString(descriptions(buckets));
  EXPECT_EQ(head_size(buckets[0].smallest.call), 24) << describe_bucket(buckets[0]);
  EXPECT_EQ(buckets[0].smallest.call.values[field("q")].tensor.shape[0],
            default_call(pack()).values[field("q")].tensor.shape[0]);
}

TEST_F(Triaged, AFaultIsShownByACallThatStillFaults) {
  planted.fault_of = 2;
  const std::vector<Bucket> buckets = sorted(find(5));
  ASSERT_EQ(buckets.size(), 1u) << testing::PrintToString(descriptions(buckets));
  EXPECT_EQ(world_size(buckets[0].smallest.call), 2) << describe_bucket(buckets[0]);
  EXPECT_TRUE(judge_one(buggy_pack(), buckets[0].smallest).is_finding());
}

TEST_F(Triaged, WhatDoesNotShowAgainIsABucketThatSaysSo) {
  planted.wrong_from = 8;
  std::vector<Case> cases = find(1);
  cases[0].finding.reason = "out_of_memory";
  cases[0].finding.detail = "at times";
  planted = {};
  const std::vector<Bucket> buckets = sorted(cases);
  ASSERT_EQ(buckets.size(), 1u);
  EXPECT_FALSE(buckets[0].reproduced);
  EXPECT_EQ(describe_bucket(buckets[0]),
            "ulysses_pack out_of_memory: at times (did not show again)");
}

TEST_F(Triaged, TheSameBugHasTheSameNameWhateverShowedIt) {
  planted.wrong_from = 8;
  const std::vector<Case> cases = find(6);
  EXPECT_EQ(sorted({cases[0]})[0].id, sorted({cases[5]})[0].id);
}

// --- a campaign's folder
// --------------------------------------------------------------------------

// Expected to be accepted, and is not.
std::string false_alarm() {
  std::string text = seed_text("qkv.cuda-broken");
  const std::size_t reject = text.find("\"reject\"");
  const std::size_t end = text.find('}', reject);
  return text.substr(0, reject) + "\"accept\"" + text.substr(end);
}

TEST(Triage, AFindingOfAKilledCampaignBecomesABucketWithItsFiles) {
  const TempFolder folder;
  folder.write("findings/ulysses_pack-validate-rejected_good_call-0badcafe.json", false_alarm());
  const Triage result = triage(folder.path(), folder.path());
  EXPECT_EQ(result.exit_code(), 1);
  ASSERT_EQ(result.buckets.size(), 1u);
  const std::string id = result.buckets[0].id;
  const StoredCall call = load_call(folder / ("triage/" + id + ".json"));
  EXPECT_TRUE(replay(call, {}).finding);
  EXPECT_NE(read_file(folder / ("triage/" + id + ".cc"), 1 << 16).find("TEST("), std::string::npos);
  const auto json = nlohmann::json::parse(read_file(folder / "triage.json", 1 << 16));
  EXPECT_EQ(json["schema"], "prelaunch.triage/1");
  EXPECT_EQ(json["buckets"][0]["id"], id);
  EXPECT_EQ(json["buckets"][0]["rule"], "ulysses_pack.qkv.cuda");
  EXPECT_EQ(json["buckets"][0]["reproduced"], true);
}

TEST(Triage, AFindingThatCannotBeReadIsNotPassedOver) {
  const TempFolder folder;
  folder.write("findings/ulysses_pack-validate-x-1.json", "{");
  const Triage result = triage(folder.path(), folder.path());
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_EQ(result.unreadable.size(), 1u);
}

TEST(Triage, AFolderWithoutACampaignIsRefused) {
  const TempFolder folder;
  EXPECT_THROW(triage(folder.path(), folder.path()), FileError);
}

TEST(Triage, WhatAnEarlierTriageLeftGoes) {
  const TempFolder folder;
  folder.write("findings/none.txt", "");
  folder.write("triage/old.json", "{}");
  EXPECT_EQ(triage(folder.path(), folder.path()).exit_code(), 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "triage/old.json"));
}

}  // namespace
}  // namespace prelaunch::fuzz
