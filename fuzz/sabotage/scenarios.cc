#include "fuzz/sabotage/scenarios.h"

#include <fmt/format.h>
#include <signal.h>

#include "fuzz/files.h"
#include "fuzz/json.h"
#include "fuzz/seeds.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

// Two findings' worth of exit codes, and that of results that mean nothing.
constexpr int kClean = 0, kFinding = 1, kUntrusted = 3;

auto doctored(const char* way) {
  return [way](Sandbox& sandbox) {
    sandbox.replace_target("execute", sandbox.programs().targets / "sabotage" / "doctored_fuzzer");
    sandbox.set("PRELAUNCH_DOCTORED", way);
  };
}

void without_sanitizers(Sandbox& sandbox) {
  sandbox.replace_target("execute", sandbox.programs().targets / "sabotage" / "unsanitized_fuzzer");
}

void spoil_corpus(Sandbox& sandbox) {
  write_file(sandbox.corpus() / "seed" / "half-written.json", "{\"op\": \"ulysses_pack\", \"ar");
}

// Into the campaign and its fuzzers alone: other programs bear no library before their own.
auto preloaded(const char* library) {
  return [library](Sandbox& sandbox) {
    const fs::path& targets = sandbox.programs().targets;
    const fs::path script = sandbox.root() / "campaign";
    write_file(script, fmt::format("#!/bin/sh\nLD_PRELOAD='{}' exec '{}' \"$@\"\n",
                                   (targets / "sabotage" / library).string(),
                                   (targets / "campaign" / "prelaunch-campaign").string()));
    fs::permissions(script, fs::perms::owner_all);
    sandbox.set("PRELAUNCH_CAMPAIGN", script.string());
  };
}

bool kill_worker(Sandbox& sandbox, int night) {
  std::error_code error;
  const fs::path target = fs::canonical(sandbox.target("execute"), error);
  // Its self-test ends first: what is killed has a corpus to read.
  if (fs::is_empty(sandbox.work() / "ulysses_pack_execute", error) || error) return false;
  for (const int pid : descendants(night)) {
    if (program_of(pid) == target) return kill(pid, SIGKILL) == 0;
  }
  return false;
}

// From the moment that it is there.
bool block_result(Sandbox& sandbox, int) {
  const fs::path result = sandbox.out() / "campaign.json";
  std::error_code error;
  if (!fs::is_regular_file(result, error)) return false;
  fs::remove(result, error);
  return fs::create_directory(result, error);
}

// A call that is judged as it should be.
void keep_a_fixed_finding(Sandbox& sandbox) {
  const OpInfo& op = *find_op("ulysses_pack");
  const NamedCall good = accepted_calls(op).back();
  write_file(sandbox.ledger(), fmt::format(R"({{"schema": "prelaunch.ledger/1", "known": [
{{"bucket": "ulysses_pack-wrong_result-0badcafe", "state": "tolerated",
 "reference": "https://example.org/issues/1", "call": {}}}]}})",
                                           format_call(op, good)));
}

// In a folder that ninja could build it in, from a source that is newer.
void let_target_be_stale(Sandbox& sandbox) {
  const fs::path target = sandbox.target("execute");
  const fs::path real = fs::canonical(target);
  fs::remove(target);
  fs::copy_file(real, target);
  const fs::path folder = target.parent_path();
  write_file(folder / "build.ninja",
             fmt::format("rule link\n  command = true\nbuild {}: link a.cc\n",
                         target.filename().string()));
  write_file(folder / "a.cc", "");
  fs::last_write_time(folder / "a.cc", fs::last_write_time(target) + std::chrono::seconds{1});
}

void nothing(Sandbox&) {}

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all = {
      {"nothing is wrong", kClean, "clean", nothing},
      {"instrumentation missing", kUntrusted, "not instrumented", doctored("uninstrumented")},
      {"sanitizer missing", kUntrusted, "AddressSanitizer is missing", without_sanitizers},
      {"target executes nothing", kUntrusted, "executed 0 accepted and 0 rejected calls",
       doctored("idle")},
      {"corpus unreadable", kUntrusted, "the corpus cannot be read", spoil_corpus},
      {"witness blinded", kUntrusted, " missed ", doctored("blind")},
      {"oracle swallows", kUntrusted, "oracle does not report", doctored("swallowing")},
      {"generator stuck", kUntrusted, "the same few calls", doctored("stuck")},
      {"clock goes backwards", kUntrusted, "the clock was set back",
       preloaded("libbackward_clock.so")},
      {"disk full", kUntrusted, "is full", preloaded("libfull_disk.so")},
      {"worker killed", kUntrusted, "ended with signal 9", nothing, kill_worker},
      {"memory limit reached", kFinding, "out_of_memory", doctored("hoarding")},
      {"known finding no longer fails", kFinding, "no longer fails", keep_a_fixed_finding},
      {"result cannot be written", kUntrusted, "campaign.json", nothing, block_result},
      {"target is stale", kUntrusted, "is stale", let_target_be_stale},
  };
  return all;
}

}  // namespace prelaunch::fuzz
