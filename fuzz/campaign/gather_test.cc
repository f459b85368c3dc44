#include "fuzz/campaign/gather.h"

#include <gtest/gtest.h>

#include "fuzz/campaign/finding.h"
#include "fuzz/campaign/fuzzer.h"
#include "fuzz/campaign/temp_folder.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTwoReports =
    "prelaunch finding: op=ulysses_pack reason=wrong_rule rule=ulysses_pack.q.rank detail=first\n"
    "artifact_prefix='f/'; Test unit written to f/crash-1\n"
    "==7==ERROR: AddressSanitizer: use-after-poison on address 0x6\n"
    "    #0 0x55 in pack_kernel /src/kernels/ulysses_pack/kernel.cu:57:26\n"
    "SUMMARY: AddressSanitizer: use-after-poison /src/kernel.cu:57:26 in pack_kernel\n"
    "artifact_prefix='f/'; Test unit written to f/crash-2\n";

class GatherTest : public testing::Test {
 protected:
  GatherTest() {
    fs::create_directories(folder_ / "shard/findings");
    fs::create_directories(folder_ / "out/findings");
    merged_.path = folder_ / "shard";
    merged_.name = "shard";
    merged_.told = true;
    TargetResult& target = merged_.result.targets.emplace_back();
    target.op = &pack();
    target.profile = Profile::kExecute;
  }

  TargetResult& target() { return merged_.result.targets[0]; }
  void list(const std::string& id, const std::string& call) {
    target().findings.push_back({.id = id,
                                 .reason = "wrong_result",
                                 .rule = "",
                                 .detail = "d",
                                 .call = call,
                                 .replay = "./prelaunch replay " + call});
  }
  void gather() { gather_findings(merged_, folder_ / "out", taken_); }
  bool copied(const std::string& id) {
    return fs::exists(folder_ / ("out/findings/" + id + ".json"));
  }

  TempFolder folder_;
  MergedFolder merged_;
  std::set<std::string> taken_;
};

TEST_F(GatherTest, ListedCallsAreCopied) {
  folder_.write("shard/findings/an-id.json", seed_text("accept-small_vector"));
  list("an-id", "findings/an-id.json");
  gather();
  const std::string copy = (folder_ / "out/findings/an-id.json").string();
  EXPECT_EQ(target().findings[0].call, "findings/an-id.json");
  EXPECT_EQ(target().findings[0].replay, "./prelaunch replay " + copy);
  EXPECT_EQ(parse_call(read_file(copy, kMaxCallBytes)).named.call,
            parse_call(seed_text("accept-small_vector")).named.call);
  EXPECT_TRUE(merged_.result.untrusted.empty());
  EXPECT_TRUE(fs::exists(folder_ / "shard/findings/an-id.json")) << "the shard is only read";
}

TEST_F(GatherTest, StoredCallsStayWhereTheyAre) {
  list("corpus-an-id", "corpus/ulysses_pack/seed/a.json");
  gather();
  EXPECT_EQ(target().findings[0].replay, "./prelaunch replay corpus/ulysses_pack/seed/a.json");
  EXPECT_TRUE(merged_.result.untrusted.empty());
  EXPECT_FALSE(copied("corpus-an-id"));
}

TEST_F(GatherTest, TheFirstCallOfAnIdIsKept) {
  folder_.write("out/findings/an-id.json", "first");
  taken_ = {"an-id"};
  folder_.write("shard/findings/an-id.json", seed_text("accept-small_vector"));
  list("an-id", "findings/an-id.json");
  gather();
  EXPECT_EQ(read_file(folder_ / "out/findings/an-id.json", 100), "first");
}

TEST_F(GatherTest, ACallThatIsNoneIsAReason) {
  folder_.write("shard/findings/bad.json", "{");
  folder_.write("secret.json", "root:x:0");
  fs::create_symlink(folder_ / "secret.json", folder_ / "shard/findings/link.json");
  for (const char* id : {"bad", "none", "link"}) {
    list(id, std::string("findings/") + id + ".json");
  }
  gather();
  EXPECT_EQ(target().findings.size(), 3u) << "what was found is not forgotten";
  ASSERT_EQ(merged_.result.untrusted.size(), 3u);
  for (const std::string& reason : merged_.result.untrusted) {
    EXPECT_EQ(reason.find("the call of a finding cannot be read: "), 0u) << reason;
  }
  for (const char* id : {"bad", "none", "link"}) EXPECT_FALSE(copied(id));
}

// Of a campaign that was killed between a finding's call and its campaign.json.
TEST_F(GatherTest, CallsThatNoFileListsAreFindings) {
  NamedCall call = parse_call(seed_text("accept-small_vector")).named;
  call.why = "wrong_result: out[1] is not q[0]: x";
  const std::string id = "ulysses_pack-validate-wrong_result-00c0ffee";
  folder_.write("shard/findings/" + id + ".json", format_call(pack(), call));
  folder_.write("shard/findings/other-validate-x-00c0ffee.json", format_call(pack(), call));
  folder_.write("shard/findings/ulysses_pack-validate-x y.json", format_call(pack(), call));
  merged_.told = false;
  gather();
  ASSERT_EQ(merged_.result.targets.size(), 2u);
  const TargetResult& validate = merged_.result.targets[1];
  EXPECT_EQ(validate.profile, Profile::kValidate);
  ASSERT_EQ(validate.findings.size(), 1u);
  EXPECT_EQ(validate.findings[0].id, id);
  EXPECT_EQ(validate.findings[0].reason, "wrong_result");
  EXPECT_EQ(validate.findings[0].detail, "out[1] is not q[0]: x");
  EXPECT_TRUE(copied(id));
}

// Of a campaign that was killed before it looked at what its fuzzer left.
TEST_F(GatherTest, InputsThatEndedAFuzzerAreFindings) {
  const std::string input = "ulysses_pack_execute-3-crash-0123";
  folder_.write("shard/findings/" + input, "\1\2\3");
  folder_.write("shard/findings/ulysses_pack_execute-3-slow-unit-01", "\1");
  folder_.write("shard/findings/ulysses_pack_execute-x-crash-01", "\1");
  folder_.write("shard/findings/ulysses_pack_other-3-crash-01", "\1");
  folder_.write("shard/logs/ulysses_pack_execute-3.0.log", "an older start");
  folder_.write("shard/logs/ulysses_pack_execute-3.1.log",
                "prelaunch finding: op=ulysses_pack reason=wrong_result rule=none detail=out\x1b\n"
                "artifact_prefix='f/'; Test unit written to f/" +
                    input + "\n");
  gather();
  ASSERT_EQ(target().findings.size(), 1u);
  const Finding& finding = target().findings[0];
  EXPECT_EQ(finding.reason, "wrong_result");
  EXPECT_EQ(finding.detail, "out\u241b");
  EXPECT_EQ(finding.id, finding_id(pack(), Profile::kExecute, {"wrong_result", "", "out\u241b"}));
  EXPECT_EQ(finding.call, "findings/" + finding.id + ".json");
  EXPECT_TRUE(copied(finding.id));
  EXPECT_TRUE(fs::exists(folder_ / ("shard/findings/" + input))) << "the shard is only read";
  EXPECT_EQ(list_files(folder_ / "out/findings", "").size(), 1u);
}

TEST_F(GatherTest, AnInputWithoutALogIsAFindingToo) {
  folder_.write("shard/findings/ulysses_pack_execute-0-timeout-0123", "\1\2\3");
  gather();
  ASSERT_EQ(target().findings.size(), 1u);
  EXPECT_EQ(target().findings[0].reason, "ended");
}

TEST_F(GatherTest, AnInputThatNoFuzzerMadeIsAReason) {
  folder_.write("shard/findings/ulysses_pack_execute-0-crash-0",
                std::string(kMaxInputBytes + 1, 'x'));
  gather();
  EXPECT_TRUE(target().findings.empty());
  EXPECT_EQ(merged_.result.untrusted,
            std::vector<std::string>{
                "expected an input of at most 1024 bytes, got ulysses_pack_execute-0-crash-0"});
}

TEST_F(GatherTest, AFolderMayHoldNothing) {
  fs::remove_all(folder_ / "shard/findings");
  EXPECT_NO_THROW(gather());
  EXPECT_TRUE(target().findings.empty());
}

TEST(ReportOn, IsWhatWasSaidOfTheInput) {
  EXPECT_EQ(read_finding(report_on(kTwoReports, "crash-1")).reason, "wrong_rule");
  EXPECT_EQ(read_finding(report_on(kTwoReports, "crash-2")).detail,
            "use-after-poison kernel.cu:57:26");
  EXPECT_EQ(report_on(kTwoReports, "crash-3"), "");
  EXPECT_EQ(report_on("crash-1", "crash-1"), "");
  EXPECT_EQ(report_on("", "crash-1"), "");
}

}  // namespace
}  // namespace prelaunch::fuzz
