#include "fuzz/campaign/open_findings.h"

#include <gtest/gtest.h>

#include "fuzz/campaign/replay.h"
#include "fuzz/campaign/temp_folder.h"
#include "fuzz/codec.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;

// A rejected call that is said to be good.
std::string false_alarm() {
  std::string text = seed_text("qkv.cuda-broken");
  const std::size_t reject = text.find("\"reject\"");
  return text.substr(0, reject) + "\"accept\"" + text.substr(text.find('}', reject));
}

class OpenFindings : public testing::Test {
 protected:
  OpenFindings() {
    make_folder(folder_ / "open");
    make_folder(folder_ / "out/findings");
  }
  std::vector<OpenFinding> recall() {
    return recall_findings(folder_ / "open", {&pack()}, ledger_, folder_ / "out", untrusted_);
  }
  bool is_there(const std::string& name) { return fs::exists(folder_ / name); }

  const TempFolder folder_;
  Ledger ledger_;
  std::vector<std::string> untrusted_;
};

TEST_F(OpenFindings, OneInQuarantineIsNotJudgedAndStays) {
  folder_.write("open/ulysses_pack-validate-x-1.json", false_alarm());
  const StoredCall stored = load_call(folder_ / "open/ulysses_pack-validate-x-1.json");
  KnownFinding known;
  known.op = &pack();
  known.quarantined = true;
  known.trial = {stored.named.call, stored.named.expect};
  ledger_.push_back(known);
  EXPECT_TRUE(recall().empty());
  EXPECT_TRUE(is_there("open/ulysses_pack-validate-x-1.json"));
  ledger_.clear();
  EXPECT_EQ(recall().size(), 1u);
}

TEST_F(OpenFindings, OneThatStillShowsIsFoundAgainAndStays) {
  folder_.write("open/ulysses_pack-validate-x-1.json", false_alarm());
  for (int night = 0; night < 2; ++night) {
    const auto found = recall();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].finding.id, "ulysses_pack-validate-x-1");
    EXPECT_EQ(found[0].finding.reason, "rejected_good_call");
    EXPECT_EQ(found[0].profile, Profile::kValidate);
    EXPECT_TRUE(is_there("out/" + found[0].finding.call));
    EXPECT_TRUE(is_there("open/ulysses_pack-validate-x-1.json"));
  }
}

TEST_F(OpenFindings, OneThatNoLongerShowsGoes) {
  folder_.write("open/ulysses_pack-validate-x-1.json", seed_text("qkv.cuda-broken"));
  EXPECT_TRUE(recall().empty());
  EXPECT_FALSE(is_there("open/ulysses_pack-validate-x-1.json"));
}

TEST_F(OpenFindings, AnInputThatAKilledCampaignLeftIsJudged) {
  const std::vector<std::uint8_t> bytes = encode(pack(), {});
  folder_.write("open/ulysses_pack_execute-0-crash-12", std::string(bytes.begin(), bytes.end()));
  EXPECT_TRUE(recall().empty());  // it is right, and so no finding
  EXPECT_FALSE(is_there("open/ulysses_pack_execute-0-crash-12"));
  EXPECT_TRUE(untrusted_.empty());
}

TEST_F(OpenFindings, OneThatCannotBeReadIsAReasonAndStays) {
  folder_.write("open/ulysses_pack-validate-x-1.json", "{");
  EXPECT_TRUE(recall().empty());
  EXPECT_EQ(untrusted_.size(), 1u);
  EXPECT_TRUE(is_there("open/ulysses_pack-validate-x-1.json"));
}

TEST_F(OpenFindings, ThoseOfOtherOpsAreLeftAlone) {
  folder_.write("open/kda_replayssm-validate-x-1.json", "{");
  EXPECT_TRUE(recall().empty());
  EXPECT_TRUE(untrusted_.empty());
}

}  // namespace
}  // namespace prelaunch::fuzz
