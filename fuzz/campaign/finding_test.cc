#include "fuzz/campaign/finding.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

#include "fuzz/campaign/temp_folder.h"
#include "fuzz/codec.h"
#include "fuzz/pack.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;

std::string as_text(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  char chunk[4096];
  for (std::size_t n; (n = fread(chunk, 1, sizeof chunk, pipe)) > 0;) out.append(chunk, n);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return out;
}

const LogFinding kLog{"wrong_result", "", "out[3, 1] is not q[0]"};
// The generator's first choices.
const std::vector<std::uint8_t> kInput = {1, 3, 5, 2, 7, 1, 4, 1, 1, 0, 0, 1, 1};

Finding kept(const TempFolder& folder, const LogFinding& log, Profile profile = Profile::kExecute) {
  return keep_finding(pack(), profile, folder.write("findings/t-0-crash-1", as_text(kInput)), log);
}

TEST(Finding, BecomesACallThatAnyoneCanReplay) {
  const TempFolder folder;
  const Finding finding = kept(folder, kLog);
  EXPECT_EQ(finding.call, "findings/" + finding.id + ".json");
  EXPECT_EQ(finding.replay, "./prelaunch replay " + (folder / finding.call).string());
  EXPECT_FALSE(fs::exists(folder / "findings/t-0-crash-1"));
  const ParsedCall parsed = parse_call(read_file(folder / finding.call, kMaxCallBytes));
  Call call;
  EXPECT_EQ(parsed.named.expect, decode(pack(), kInput, call));
  canonical(pack(), call);
  EXPECT_EQ(parsed.named.call, call);
  EXPECT_EQ(parsed.named.why, "wrong_result: out[3, 1] is not q[0]");
}

// Known from one night to the next: on every machine, in every folder, whatever the numbers are.
TEST(Finding, HasAnIdThatStays) {
  const TempFolder one, other;
  EXPECT_EQ(kept(one, kLog).id, "ulysses_pack-execute-wrong_result-de9eec32");
  EXPECT_EQ(kept(other, {"wrong_result", "", "out[4, 17] is not q[20]"}).id, kept(one, kLog).id);
  EXPECT_NE(kept(one, kLog, Profile::kValidate).id, kept(one, kLog).id);
  EXPECT_NE(kept(one, {"wrong_result", "", "out[3, 1] is not k[0]"}).id, kept(one, kLog).id);
  EXPECT_NE(kept(one, {"wrong_rule", "", kLog.detail}).id, kept(one, kLog).id);
  EXPECT_NE(kept(one, {"wrong_result", "q.rank", kLog.detail}).id, kept(one, kLog).id);
}

TEST(Finding, KeepsTheFirstCallOfAnId) {
  const TempFolder folder;
  const Finding first = kept(folder, kLog);
  const std::string text = read_file(folder / first.call, kMaxCallBytes);
  const fs::path second = folder.write("findings/t-0-crash-2", std::string(1, '\0'));
  EXPECT_EQ(keep_finding(pack(), Profile::kExecute, second, kLog).id, first.id);
  EXPECT_EQ(read_file(folder / first.call, kMaxCallBytes), text);
  EXPECT_FALSE(fs::exists(second));
  std::vector<Finding> found;
  add_finding(first, found);
  add_finding(first, found);
  add_finding({.id = "other", .reason = {}, .rule = {}, .detail = {}, .call = {}, .replay = {}},
              found);
  EXPECT_EQ(found.size(), 2u);
}

TEST(Finding, AnyInputCanBeKept) {
  const TempFolder folder;
  for (const std::string& input : {std::string(), std::string("\x01"), std::string(1024, '\xff')}) {
    const fs::path path = folder.write("findings/t-0-crash-3", input);
    const Finding finding = keep_finding(pack(), Profile::kExecute, path, {"ended", "", input});
    EXPECT_NO_THROW(parse_call(read_file(folder / finding.call, kMaxCallBytes)));
  }
  EXPECT_THROW(keep_finding(pack(), Profile::kExecute, folder / "none", kLog), FileError);
}

TEST(Artifacts, AreAFuzzersOwnAndEndedIt) {
  const TempFolder folder;
  for (const char* name :
       {"t-1-crash-a", "t-1-timeout-b", "t-10-crash-c", "t-1", "u-1-crash-d", "t-1-slow-unit-e"}) {
    folder.write(name, "");
  }
  const std::vector<fs::path> expected = {folder / "t-1-crash-a", folder / "t-1-timeout-b"};
  EXPECT_EQ(artifacts_of(folder / "t-1"), expected);
}

TEST(ShellWord, ReachesTheProgramAsItIs) {
  for (const std::string& word :
       {std::string("plain/path-1.json"), std::string(""), std::string("two words"),
        std::string("it's"), std::string("$HOME `id` \"\\\""),
        std::string("a\nb\t*?[]~#!&|;<>(){}"), std::string("-n"), std::string("\xc3\xa9\xff\x01"),
        std::string("''"), std::string("%s%n")}) {
    EXPECT_EQ(output_of("printf %s " + shell_word(word)), word);
  }
  EXPECT_EQ(shell_word("plain/path-1.json"), "plain/path-1.json");
  EXPECT_EQ(shell_word("two words"), "'two words'");
}

TEST(Files, AFailedWriteKeepsWhatWasThere) {
  const TempFolder folder;
  const fs::path path = folder.write("campaign.json", "whole");
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 4096, .rlim_max = before.rlim_max};
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(write_file(path, std::string(100'000, 'x')), FileError);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_EQ(read_file(path, 100'000), "whole");
  EXPECT_EQ(list_files(folder.path(), "").size(), 1u) << "no temporary file is left";
}

TEST(Pack, HoldsEachStoredCallOnce) {
  const TempFolder folder;
  folder.write("corpus/ulysses_pack/seed/a.json", seed_text("accept-small_fused"));
  folder.write("corpus/ulysses_pack/regression/a.json", seed_text("qkv.cuda-broken"));
  pack_calls(pack(), stored_calls(pack(), folder / "corpus"), folder / "packed");
  std::vector<Call> calls;
  for (const fs::path& path : list_files(folder / "packed", "")) {
    if (path.filename().string().starts_with("generated")) continue;
    const std::string bytes = read_file(path, kMaxCallBytes);
    decode(pack(), {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
           calls.emplace_back());
  }
  ASSERT_EQ(calls.size(), 2u) << "two folders may use one name";
  EXPECT_NE(calls[0], calls[1]);
}

TEST(Pack, AnOpWithoutRegressionsHasACorpus) {
  const TempFolder folder;
  folder.write("corpus/ulysses_pack/seed/a.json", seed_text("accept-small_fused"));
  EXPECT_NO_THROW(pack_calls(pack(), stored_calls(pack(), folder / "corpus"), folder / "packed"));
}

TEST(Pack, AMalformedCallIsNamed) {
  const TempFolder folder;
  folder.write("corpus/ulysses_pack/seed/bad.json", "{");
  try {
    pack_calls(pack(), stored_calls(pack(), folder / "corpus"), folder / "packed");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("seed/bad.json: parse error"), std::string::npos);
  }
}

}  // namespace
}  // namespace prelaunch::fuzz
