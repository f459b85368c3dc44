#include "fuzz/campaign/ledger.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fuzz/campaign/known.h"
#include "fuzz/campaign/temp_folder.h"
#include "kernels/common/json_node.h"

namespace prelaunch::fuzz {
namespace {

std::string ledger_of(const std::string& entry) {
  return fmt::format(R"({{"schema": "prelaunch.ledger/1", "known": [{}]}})", entry);
}

std::string entry(const std::string& bucket, const std::string& state, const std::string& call,
                  const std::string& more = "") {
  return fmt::format(R"({{"bucket": "{}", "state": "{}", "reference": "issue 12", "call": {}{}}})",
                     bucket, state, call, more);
}

// A rejected call that is said to be good.
std::string false_alarm() {
  std::string text = seed_text("qkv.cuda-broken");
  const std::size_t reject = text.find("\"reject\"");
  return text.substr(0, reject) + "\"accept\"" + text.substr(text.find('}', reject));
}

std::string bucket_of_false_alarm() {
  const KnownFinding known =
      parse_ledger(ledger_of(entry("ulysses_pack-x", "tolerated", false_alarm())))[0];
  return bucket_id(pack(), judge_one(pack(), known.trial));
}

TEST(Ledger, ReadsWhatIsKnown) {
  const std::string call = seed_text("accept-small_vector");
  const Ledger ledger = parse_ledger(
      ledger_of(entry("ulysses_pack-a-1", "tolerated", call) + "," +
                entry("ulysses_pack-b-2", "quarantined", call, R"(, "where": ["q.dtype"])")));
  ASSERT_EQ(ledger.size(), 2u);
  EXPECT_FALSE(ledger[0].quarantined);
  EXPECT_EQ(ledger[0].reference, "issue 12");
  EXPECT_TRUE(ledger[1].quarantined);
  EXPECT_EQ(ledger[1].where, std::vector<std::string>{"q.dtype"});
  EXPECT_EQ(quarantine_of(ledger, pack()).size(), 1u);
}

TEST(Ledger, WhatIsNotAsItShouldBeIsRefusedWithItsPlace) {
  const std::string call = seed_text("accept-small_vector");
  const std::pair<std::string, std::string> wrong[] = {
      {"[]", "expected"},
      {R"({"schema": "prelaunch.ledger/2", "known": []})", "schema"},
      {ledger_of(entry("../x", "tolerated", call)), "known[0].bucket"},
      {ledger_of(entry("dflash_greedy-x-1", "tolerated", call)), "known[0].bucket"},
      {ledger_of(entry("ulysses_pack-x", "ignored", call)), "known[0].state"},
      {ledger_of(entry("ulysses_pack-x", "tolerated", "{}")), "known[0].call"},
      {ledger_of(entry("ulysses_pack-x", "quarantined", call, R"(, "where": ["q"])")),
       "known[0].where[0]"},
      {ledger_of(entry("ulysses_pack-x", "tolerated", call) + "," +
                 entry("ulysses_pack-x", "tolerated", call)),
       "known[1].bucket"},
  };
  for (const auto& [text, place] : wrong) {
    try {
      parse_ledger(text);
      ADD_FAILURE() << text;
    } catch (const JsonError& error) {
      EXPECT_NE(std::string(error.what()).find(place), std::string::npos) << error.what();
    }
  }
}

TEST(Ledger, TheProjectsOwnCanBeRead) {
  EXPECT_NO_THROW(read_ledger(PRELAUNCH_SOURCE_DIR "/fuzz/ledger.json"));
}

class Known : public testing::Test {
 protected:
  void judge(const std::string& ledger) {
    folder_.write("fuzz/ledger.json", ledger);
    make_folder(folder_ / "findings");
    targets_ = {
        TargetResult{.op = &pack(), .profile = Profile::kExecute, .stats = {}, .findings = {}}};
    known_.emplace(folder_.path(), std::vector{&pack()}, states_, untrusted_);
    known_->judge_tolerated(folder_.path(), targets_);
  }

  const TempFolder folder_;
  std::vector<TargetResult> targets_;
  std::vector<KnownState> states_;
  std::vector<std::string> untrusted_;
  std::optional<KnownFindings> known_;
};

TEST_F(Known, AToleratedFindingThatStillShowsIsCountedAndIsNoFinding) {
  judge(ledger_of(entry(bucket_of_false_alarm(), "tolerated", false_alarm())));
  EXPECT_TRUE(targets_[0].findings.empty());
  ASSERT_EQ(states_.size(), 1u);
  EXPECT_EQ(states_[0].seen, 1u);
  EXPECT_EQ(states_[0].reason, "rejected_good_call");
}

TEST_F(Known, AToleratedFindingThatNoLongerFailsIsAFinding) {
  judge(ledger_of(entry("ulysses_pack-x", "tolerated", seed_text("accept-small_vector"))));
  ASSERT_EQ(targets_[0].findings.size(), 1u);
  EXPECT_NE(targets_[0].findings[0].detail.find("ulysses_pack-x no longer fails"),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder_ / targets_[0].findings[0].call));
}

TEST_F(Known, AQuarantinedCallIsNotJudged) {
  judge(ledger_of(entry("ulysses_pack-x", "quarantined", seed_text("accept-small_vector"))));
  EXPECT_TRUE(targets_[0].findings.empty());
  EXPECT_EQ(states_[0].seen, 0u);
}

TEST_F(Known, ALedgerThatCannotBeReadMakesTheCampaignUntrusted) {
  judge("{");
  ASSERT_EQ(untrusted_.size(), 1u);
  EXPECT_NE(untrusted_[0].find("the ledger cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace prelaunch::fuzz
