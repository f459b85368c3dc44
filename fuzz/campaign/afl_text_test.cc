#include "fuzz/campaign/afl_text.h"

#include <gtest/gtest.h>

namespace prelaunch::fuzz {
namespace {

constexpr std::string_view kStats = R"(start_time        : 1796127058
execs_done        : 52996
corpus_count      : 829
corpus_found      : 573
edges_found       : 2056
total_edges       : 11112
)";

TEST(AflText, EdgesAndCorpusAreReadFromItsStats) {
  const LogProgress progress = read_afl_stats(kStats);
  EXPECT_EQ(progress.features, 2056u);
  EXPECT_EQ(progress.corpus, 829u);
}

TEST(AflText, StatsThatAreAbsentOrNoNumbersAreZero) {
  for (const std::string_view text :
       {"", "edges_found", "edges_found :", "edges_found : many", "total edges_found : 7",
        "edges_found_before : 7", "edges_found7", "edges_found : -7",
        "edges_found : 99999999999999999999999"}) {
    EXPECT_EQ(read_afl_stats(text).features, 0u) << text;
  }
  EXPECT_EQ(read_afl_stats("edges_found : 7").features, 7u) << "cut off behind the number";
}

const std::string kName(40, 'a');

std::string tried(const std::string& seed) {
  return "\x1b[1;94m[*] \x1b[0mAttempting dry run with 'id:000003,time:0,execs:0,orig:" + seed +
         "'...\n";
}

// As afl-fuzz tells the ends that a dry run may have.
constexpr std::string_view kGood = "    len = 71, map size = 165, exec speed = 24999 us\n";
constexpr std::string_view kEnds[] = {
    "\x1b[1;93m[!] WARNING: Test case 'id:000003,orig:x' results in a crash, skipping\n",
    "\x1b[1;93m[!] WARNING: Test case results in a timeout (skipping)\n",
    "[-] PROGRAM ABORT : Test case 'id:000003,orig:x' results in a timeout"};

TEST(AflText, SeedsThatEndTheTargetAreNamed) {
  const std::string other(40, '0');
  for (const std::string_view end : kEnds) {
    const std::string log =
        tried(other).append(kGood) + tried(kName).append(end) + "\n" + tried(other).append(kGood);
    EXPECT_EQ(ending_seeds(log), std::vector<std::string>{kName}) << end;
  }
  EXPECT_EQ(ending_seeds(tried(kName).append(kEnds[0]) + tried(other).append(kEnds[1])),
            (std::vector<std::string>{kName, other}));
}

TEST(AflText, NoOtherFileIsNamedAsASeed) {
  for (const std::string& seed :
       {std::string("../../etc/passwd"), std::string(), std::string(39, 'a'), std::string(41, 'a'),
        std::string(40, 'A'), "x/" + std::string(38, 'a')}) {
    EXPECT_EQ(ending_seeds(tried(seed).append(kEnds[0])), std::vector<std::string>{}) << seed;
  }
  EXPECT_EQ(ending_seeds(kEnds[0]), std::vector<std::string>{}) << "nothing was tried";
  EXPECT_EQ(ending_seeds(tried(kName)), std::vector<std::string>{}) << "nothing came of it";
}

// A log is read in parts while it grows.
TEST(AflText, ATryWhoseOutcomeIsStillToComeIsReadAgain) {
  const std::string log = tried(std::string(40, '0')).append(kGood) + tried(kName);
  EXPECT_EQ(ending_seeds(log), std::vector<std::string>{});
  EXPECT_EQ(ending_seeds(log.substr(last_dry_run(log)).append(kEnds[1])),
            std::vector<std::string>{kName});
  EXPECT_EQ(last_dry_run("All set and ready to roll!\n"), 0u);
}

TEST(AflText, SeedsOfAQueueAreToldFromWhatWasFound) {
  EXPECT_TRUE(is_seed_of_queue("id:000001,time:0,execs:0,orig:" + kName));
  EXPECT_FALSE(is_seed_of_queue("id:000824,src:000672,time:17141,execs:49387,op:havoc,rep:4"));
}

TEST(AflText, AnInputIsNamedByItsSha1) {
  EXPECT_EQ(content_name(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(content_name("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
}

}  // namespace
}  // namespace prelaunch::fuzz
