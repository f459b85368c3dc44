#include "fuzz/campaign/log.h"

#include <gtest/gtest.h>

#include "fuzz/campaign/finding.h"
#include "fuzz/campaign/temp_folder.h"
#include "kernels/common/choices.h"
#include "kernels/common/escape.h"

namespace prelaunch::fuzz {
namespace {

// As the programs print them.
constexpr std::string_view kProgress = R"(INFO: Seed: 1
INFO: Loaded 1 modules   (1234 inline 8-bit counters): 1234 [0x55, 0x66),
#2	INITED cov: 318 ft: 319 corp: 1/1b exec/s: 0 rss: 61Mb
#64	NEW    cov: 402 ft: 571 corp: 12/1204b lim: 25 exec/s: 0 rss: 63Mb L: 25/98 MS: 1 ChangeBit-
#4096	pulse  cov: 470 ft: 892 corp: 77/7Kb lim: 58 exec/s: 2048 rss: 64Mb
)";

constexpr std::string_view kAsan = R"(#9	NEW    cov: 3 ft: 4 corp: 2/2b
=================================================================
==8==ERROR: AddressSanitizer: use-after-poison on address 0x602000000099 at pc 0x55 bp 0x7f sp 0x7f
READ of size 1 at 0x602000000099 thread T0
    #0 0x55a8b546ef7d in pack_kernel /src/prelaunch/kernels/ulysses_pack/kernel.cu:57:26
SUMMARY: AddressSanitizer: use-after-poison /src/prelaunch/kernels/ulysses_pack/kernel.cu:57:26 in pack_kernel
Shadow bytes around the buggy address:
MS: 1 InsertByte-; base unit: adc83b19e793491b1c6ea0fd8b46cd9f32e592fc
artifact_prefix='/tmp/x/art-'; Test unit written to /tmp/x/art-crash-adc83b19
)";

constexpr std::string_view kUbsan =
    "/tmp/x/kernel.cu:9:40: runtime error: signed integer overflow\n"
    "SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior /tmp/x/kernel.cu:9:40 \n";

constexpr std::string_view kEmulator =
    R"(emulator fault: ulysses_pack: a barrier that some thread never reaches block (0,0,0) thread (3,0,0)
==3433==ERROR: AddressSanitizer: ABRT on unknown address 0x000000000d69 (pc 0x7f66 bp 0x7f sp 0x7f T0)
SUMMARY: AddressSanitizer: ABRT nptl/pthread_kill.c:44:76 in __pthread_kill_implementation
)";

constexpr std::string_view kEmulatorAtLaunch =
    R"(emulator fault: ulysses_pack: a tensor lies in memory that no device holds
==3433==ERROR: AddressSanitizer: ABRT on unknown address 0x000000000d69 (pc 0x7f66 bp 0x7f sp 0x7f T0)
    #9 0x55dc in launch_as /src/prelaunch/kernels/ulysses_pack/kernel.cu:98:10
SUMMARY: AddressSanitizer: ABRT nptl/pthread_kill.c:44:76 in __pthread_kill_implementation
)";

constexpr std::string_view kFinding =
    R"(prelaunch finding: op=ulysses_pack reason=wrong_rule rule=ulysses_pack.q.rank detail=rejected by q.rank, not by reason=x
SUMMARY: AddressSanitizer: ABRT nptl/pthread_kill.c:44:76 in __pthread_kill_implementation
)";

constexpr std::string_view kTimeout = R"(ALARM: working on the last Unit for 25 seconds
==3427== ERROR: libFuzzer: timeout after 25 seconds
SUMMARY: libFuzzer: timeout
)";

struct Expected {
  std::string_view log, reason, rule, detail;
};

TEST(Log, ProgressIsThatOfTheLastLine) {
  EXPECT_EQ(read_progress(kProgress).features, 892u);
  EXPECT_EQ(read_progress(kProgress).corpus, 77u);
  EXPECT_EQ(read_progress("").features, 0u);
  EXPECT_EQ(read_progress("INFO: Seed: 1\n").corpus, 0u);
}

TEST(Log, AFindingIsTheMostTellingReport) {
  const Expected expected[] = {
      {kAsan, "address_sanitizer", "", "use-after-poison kernel.cu:57:26"},
      {kUbsan, "undefined_behavior_sanitizer", "", "undefined-behavior kernel.cu:9:40"},
      {kEmulator, "emulator_fault", "",
       "ulysses_pack: a barrier that some thread never reaches block (0,0,0) thread (3,0,0)"},
      {kEmulatorAtLaunch, "emulator_fault", "",
       "ulysses_pack: a tensor lies in memory that no device holds"},
      {kFinding, "wrong_rule", "ulysses_pack.q.rank", "rejected by q.rank, not by reason=x"},
      {kTimeout, "timeout", "", "timeout"},
      {kProgress, "ended", "", "the log gives no reason"},
      {"", "ended", "", "the log gives no reason"},
      {"prelaunch finding: op=a reason=wrong_result rule=none detail=\n", "wrong_result", "", ""}};
  for (const Expected& each : expected) {
    const LogFinding found = read_finding(each.log);
    EXPECT_EQ(found.reason, each.reason);
    EXPECT_EQ(found.rule, each.rule);
    EXPECT_EQ(found.detail, each.detail);
  }
}

// The reason becomes part of a file's name.
void expect_tame(std::string_view log) {
  const LogFinding found = read_finding(log);
  EXPECT_FALSE(found.reason.empty()) << log;
  EXPECT_EQ(found.reason.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string::npos)
      << found.reason;
  EXPECT_TRUE(is_finding_id("corpus-" + finding_id(pack(), Profile::kExecute, found)))
      << found.reason;
  EXPECT_EQ(found.rule, visible(found.rule));
  EXPECT_EQ(found.detail, visible(found.detail));
  static_cast<void>(read_progress(log));
}

TEST(Log, ALogMayEndAnywhere) {
  for (const std::string_view log : {kProgress, kAsan, kUbsan, kEmulator, kFinding, kTimeout}) {
    for (std::size_t size = 0; size <= log.size(); ++size) expect_tame(log.substr(0, size));
  }
}

TEST(Log, AHostileLogNamesNoFolderAndNoNonsense) {
  expect_tame("prelaunch finding: op=x reason=../../etc/passwd rule=none detail=y\n");
  expect_tame("prelaunch finding: reason=\x01\xff rule=none\n");
  expect_tame("prelaunch finding: \n");
  expect_tame("prelaunch finding: reason=" + std::string(300, 'a') + " rule=none detail=\n");
  expect_tame("prelaunch finding: reason=a rule=\x1b[2J detail=\x1b[2J\r\x7f\xff\u009b\n");
  expect_tame("emulator fault: \x1b[2J\n");
  expect_tame("SUMMARY: AddressSanitizer: \x1b[2J\n");
  expect_tame("SUMMARY: libFuzzer: \n");
  EXPECT_EQ(read_progress("# ft: 99999999999999999999999 corp: -3/").features, 0u);
  EXPECT_EQ(read_progress("# ft: 99999999999999999999999 corp: -3/").corpus, 0u);
  Choices choose(std::uint64_t{1});
  for (int i = 0; i < 2'000; ++i) {
    std::string log(choose.of({kAsan, kFinding, kTimeout, kEmulator}));
    for (int edit = 0; edit < 8; ++edit) {
      log[choose.below(log.size())] = static_cast<char>(choose.below(256));
    }
    expect_tame(log);
  }
}

TEST(Log, TheTailIsTheLastBytes) {
  const TempFolder folder;
  const auto path = folder.write("log", "0123456789");
  EXPECT_EQ(read_tail(path, 4), "6789");
  EXPECT_EQ(read_tail(path, 100), "0123456789");
  EXPECT_EQ(read_tail(folder / "none", 4), "");
}

}  // namespace
}  // namespace prelaunch::fuzz
