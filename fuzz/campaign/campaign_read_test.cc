// Reading campaign.json: what we wrote, and what we did not.
#include "fuzz/campaign/campaign_read.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "fuzz/campaign/temp_folder.h"
#include "kernels/common/choices.h"
#include "kernels/common/json_node.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;

CampaignResult full_result() {
  CampaignResult result;
  result.provenance.commit = "abc";
  result.provenance.dirty = true;
  result.provenance.machine = "lab1";
  result.provenance.cores = 16;
  result.provenance.started = "2026-11-30T02:15:00Z";
  result.seed = ~std::uint64_t{0};
  result.shard = Shard{.index = 2, .count = 8};
  result.seconds = 2.5;
  result.untrusted = {"a reason"};
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
  target.findings = {{.id = "an-id",
                      .reason = "wrong_result",
                      .rule = "ulysses_pack.q.rank",
                      .detail = "a detail",
                      .call = "findings/an-id.json",
                      .replay = "./prelaunch replay findings/an-id.json"}};
  result.targets.emplace_back().op = &pack();
  return result;
}

std::string error_of(const std::string& text) {
  try {
    parse_campaign(text);
  } catch (const JsonError& error) {
    return error.what();
  }
  return "no error";
}

// Of the full file with one part replaced.
std::string error_with(const std::string& from, const std::string& to) {
  std::string text = campaign_json(full_result());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return error_of(text.replace(at, from.size(), to));
}

TEST(CampaignRead, GivesBackWhatWasWritten) {
  for (const bool ended : {true, false}) {
    CampaignResult result = full_result();
    result.ended = ended;
    if (!ended) result.untrusted.emplace_back(kNotEnded);
    const std::string text = campaign_json(result);
    EXPECT_EQ(campaign_json(parse_campaign(text)), text);
  }
  CampaignResult merged = full_result();
  merged.shard.reset();
  merged.merged = {"a", "b"};
  EXPECT_EQ(campaign_json(parse_campaign(campaign_json(merged))), campaign_json(merged));
}

void erase(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t begin = text.find(from), end = text.find(to, begin);
  ASSERT_NE(end, text.npos) << from;
  text.erase(begin, end - begin);
}

TEST(CampaignRead, TheFirstFilesOfTheSchemaSayLess) {
  std::string text = campaign_json(full_result());
  erase(text, ",\n  \"ended\"", "\n },");
  erase(text, "   \"valid\"", "   \"corpus\"");
  const CampaignResult result = parse_campaign(text);
  EXPECT_EQ(result.targets[0].stats.executed, 50u);
  EXPECT_EQ(result.targets[0].stats.valid, 0u);
  EXPECT_EQ(result.targets[0].stats.violations, 0u);
  EXPECT_TRUE(result.ended);
  EXPECT_EQ(result.shard, std::nullopt);
  EXPECT_TRUE(result.merged.empty());
}

TEST(CampaignRead, AnErrorNamesThePlaceAndTheValue) {
  EXPECT_EQ(error_with("\"executions\": 100", "\"executions\": -1"),
            "targets[0].executions: expected a number of 0 or more, got -1");
  EXPECT_EQ(error_with("\"executions\": 100", "\"executions\": 18446744073709551615"),
            "targets[0].executions: expected a number of at most 1125899906842624, got "
            "18446744073709551615");
  EXPECT_EQ(error_with("\"valid\": 47", "\"valid\": -1"),
            "targets[0].valid: expected a number of 0 or more, got -1");
  EXPECT_EQ(error_with("\"features\": 33", "\"features\": []"),
            "targets[0].features: expected a number, got an array");
  EXPECT_EQ(error_with("\"corpus\": 9", "\"corpus\": 1e300"),
            "targets[0].corpus: expected a whole number, got 1e+300");
  EXPECT_EQ(error_with("\"ulysses_pack\"", "\"nonsense\""),
            "targets[0].op: expected the name of an op, got \"nonsense\"");
  EXPECT_EQ(error_with("\"execute\"", "\"run\""),
            "targets[0].profile: expected \"validate\" or \"execute\", got \"run\"");
  EXPECT_EQ(error_with("ulysses_pack.qkv.cuda", "ulysses_pack.no.rule"),
            "targets[0].rules_fired.ulysses_pack.no.rule: expected the count of a rule of "
            "ulysses_pack, got 11");
  for (const std::string id : {"qkv.cuda", "ulysses_pack.out.size#2"}) {
    EXPECT_EQ(
        error_with("ulysses_pack.qkv.cuda", id),
        "targets[0].rules_fired." + id + ": expected the count of a rule of ulysses_pack, got 11");
  }
  EXPECT_EQ(error_with("\"validate\"", "\"execute\""),
            "targets[1]: expected each target once, got an object");
  EXPECT_EQ(error_with("\"seconds\": 2.5", "\"seconds\": 1e13"),
            "context.seconds: expected at most 1000000000000 seconds, got 10000000000000.0");
  EXPECT_EQ(error_with("\"index\": 2", "\"index\": 8"),
            "context.shard.index: expected less than the count, 8, got 8");
  EXPECT_EQ(error_with("\"count\": 8", "\"count\": 4097"),
            "context.shard.count: expected a number of at most 4096, got 4097");
  EXPECT_EQ(error_with("campaign/1", "campaign/2"),
            "schema: expected \"prelaunch.campaign/1\", got \"prelaunch.campaign/2\"");
  EXPECT_EQ(error_with("\"untrusted\"", "\"fine\""),
            "verdict: expected \"clean\", \"findings\" or \"untrusted\", got \"fine\"");
  EXPECT_EQ(error_with("\"reasons\"", "\"seasons\""), "reasons: missing");
  EXPECT_NE(error_with("\"seconds\": 2.5", "\"seconds\": 1e999"), "no error");
}

TEST(CampaignRead, NoNameLeavesItsFolder) {
  for (const char* id : {"", ".", "..", "../an-id", "a/b", "/etc/passwd", "a.json", "a\\u0000",
                         "a b", "\\n", "caf\\u00e9"}) {
    EXPECT_EQ(error_with("\"id\": \"an-id\"", std::string("\"id\": \"") + id + "\"")
                  .find("targets[0].findings[0].id: expected a name of letters"),
              0u)
        << id;
  }
  const std::string id(201, 'a');
  EXPECT_NE(error_with("\"id\": \"an-id\"", "\"id\": \"" + id + "\""), "no error");
}

TEST(CampaignRead, NoCallLeavesItsFolder) {
  const auto error = [](const std::string& call) {
    return error_with("\"call\": \"findings/an-id.json\"", "\"call\": \"" + call + "\"");
  };
  for (const char* call :
       {"", "/etc/passwd", "findings/other.json", "findings/../an-id.json",
        "../findings/an-id.json", "./findings/an-id.json", "corpus/ulysses_pack/../../an-id.json",
        "corpus/ulysses_pack/..", "corpus/other/seed/a.json", "corpus/ulysses_pack",
        "/corpus/ulysses_pack/seed/a.json", "corpus/ulysses_pack/seed/a",
        "corpus/ulysses_pack/seed/a\\n.json"}) {
    EXPECT_EQ(error(call).find("targets[0].findings[0].call: expected findings/an-id.json or"), 0u)
        << call;
  }
  EXPECT_EQ(error("corpus/ulysses_pack/regression/of mine.json"), "no error");
}

TEST(CampaignRead, ACommandIsOursAndTextsAreShown) {
  CampaignResult result = full_result();
  result.untrusted = {"a\nb\x1b[2J"};
  result.targets[0].findings[0].detail = "c\rd";
  result.targets[0].findings[0].replay = "rm -rf /";
  const CampaignResult read = parse_campaign(campaign_json(result));
  EXPECT_EQ(read.targets[0].findings[0].replay, "./prelaunch replay findings/an-id.json");
  EXPECT_EQ(read.targets[0].findings[0].detail, "c\u240dd");
  EXPECT_EQ(read.untrusted[0], "a\u240ab\u241b[2J");
}

TEST(CampaignRead, AFileIsNoBetterThanItsContent) {
  std::string text = campaign_json(full_result());
  text.replace(text.find("\"untrusted\""), 11, "\"clean\"");
  EXPECT_EQ(parse_campaign(text).untrusted.back(),
            "its verdict is clean, its content says untrusted");
  CampaignResult result = full_result();
  result.untrusted.clear();
  result.ended = false;
  const CampaignResult read = parse_campaign(campaign_json(result));
  EXPECT_EQ(read.verdict(), "untrusted");
  EXPECT_EQ(read.untrusted[0], kNotEnded);
}

TEST(CampaignRead, MayEndAnywhere) {
  const std::string text = campaign_json(full_result());
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {
    const std::string error = error_of(text.substr(0, size));
    EXPECT_NE(error, "no error") << size;
    EXPECT_EQ(error.find('\n'), error.npos) << size;
  }
}

TEST(CampaignRead, AnyByteMayBeAnother) {
  const std::string text = campaign_json(full_result());
  Choices choose(std::uint64_t{1});
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char byte : {'"', '{', '9', '\xff'}) {
      std::string changed = text;
      changed[i] = byte;
      changed[choose.below(text.size())] = static_cast<char>(choose.below(256));
      EXPECT_EQ(error_of(changed).find_first_of("\n\x1b"), std::string::npos);
    }
  }
}

TEST(CampaignRead, AnyValueMayBeOfAnotherType) {
  const nlohmann::json whole = nlohmann::json::parse(campaign_json(full_result()));
  const nlohmann::json flat = whole.flatten();
  for (const auto& [path, old] : flat.items()) {
    for (const char* value : {"null", "true", "-1", "1e300", "18446744073709551615", "\"../x\"",
                              "[]", "{}", "[[1]]", "{\"a\": {}}"}) {
      nlohmann::json changed = whole;
      changed[nlohmann::json::json_pointer(path)] = nlohmann::json::parse(value);
      EXPECT_EQ(error_of(changed.dump()).find('\n'), std::string::npos);
    }
  }
  for (const char* text : {"", "null", "[]", "{}", "0", "\"\"", "{\"schema\": {}}"}) {
    EXPECT_NE(error_of(text), "no error") << text;
  }
  EXPECT_EQ(error_of(std::string(1 << 20, '[')), "nested more than 64 levels deep");
}

TEST(CampaignRead, AnUnreadableFileIsNamed) {
  const TempFolder folder;
  folder.write("bad.json", "{");
  folder.write("large.json", std::string(kMaxCampaignBytes + 1, ' '));
  mkfifo((folder / "pipe.json").c_str(), 0600);
  for (const char* name : {"none.json", "bad.json", "large.json", "pipe.json", ""}) {
    try {
      read_campaign(folder / name);
      ADD_FAILURE() << name;
    } catch (const FileError& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.find((folder / name).string() + ": "), 0u) << what;
      EXPECT_EQ(what.find('\n'), what.npos);
    }
  }
}

}  // namespace
}  // namespace prelaunch::fuzz
