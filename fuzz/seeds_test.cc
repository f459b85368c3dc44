// The seed corpus is what the op's cases and rules give, in memory and on disk.
#include "fuzz/seeds.h"

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "fuzz/json.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;

fs::path folder(const OpInfo& op) {
  return fs::path(PRELAUNCH_SOURCE_DIR) / "corpus" / op.name / "seed";
}

std::string content(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

TEST(Seeds, EachRuleHasOneAndNamesAreUnique) {
  for (const OpInfo* op : all_ops()) {
    std::set<std::string> names;
    std::set<std::size_t> rules;
    std::size_t accepted = 0;
    for (const NamedCall& named : seeds(*op)) {
      // Some file systems take 'A_log' and 'a_log' for one.
      std::string name = named.name;
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      EXPECT_TRUE(names.insert(name).second) << named.name;
      EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._-"), name.npos)
          << named.name;
      if (named.expect.rule != kNoRule) rules.insert(named.expect.rule);
      accepted += named.expect.verdict == Verdict::kAccept;
    }
    for (std::size_t rule = 0; rule < op->rules.size(); ++rule) {
      EXPECT_TRUE(rules.contains(rule)) << full_id(*op, rule) << " has no seed";
    }
    EXPECT_GT(accepted, 0u);
  }
}

TEST(Seeds, EachIsJudgedAsItSays) {
  for (const OpInfo* op : all_ops()) {
    for (const NamedCall& named : seeds(*op)) {
      const Judgement judgement =
          op->judge(named.call, named.expect, {.profile = Profile::kValidate});
      EXPECT_FALSE(judgement.is_finding()) << named.name << ": " << judgement.detail;
      // The id is not enough here: two rules may share one, and each needs its own seed.
      EXPECT_EQ(judgement.rule, named.expect.rule) << named.name;
    }
  }
}

TEST(Seeds, OneThatBlamesAnotherArgumentThanItSaysIsAFinding) {
  std::size_t tried = 0;
  for (NamedCall& named : seeds(*find_op("ulysses_pack"))) {
    if (named.expect.argument == kNoField) continue;
    named.expect.argument = (named.expect.argument + 1) % 3;
    const Judgement judgement = find_op("ulysses_pack")->judge(named.call, named.expect, {});
    EXPECT_EQ(to_string(judgement.reason), "wrong_argument") << named.name;
    ++tried;
  }
  EXPECT_GT(tried, 10u);
}

// To write it again: prelaunch corpus seeds <op> corpus
TEST(Seeds, TheFolderHoldsThem) {
  for (const OpInfo* op : all_ops()) {
    std::set<std::string> expected;
    for (const NamedCall& named : seeds(*op)) {
      expected.insert(named.name + ".json");
      EXPECT_EQ(content(folder(*op) / (named.name + ".json")), format_call(*op, named))
          << named.name << " is stale: run prelaunch corpus seeds";
    }
    for (const auto& entry : fs::directory_iterator(folder(*op))) {
      EXPECT_TRUE(expected.contains(entry.path().filename())) << entry.path() << " is stale";
    }
  }
}

}  // namespace
}  // namespace prelaunch::fuzz
