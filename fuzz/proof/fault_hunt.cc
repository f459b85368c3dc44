#include "fuzz/proof/fault_hunt.h"

#include "fuzz/proof/corpus.h"
#include "fuzz/proof/planted.h"
#include "fuzz/proof/planted_run.h"
#include "fuzz/proof/tables.h"
#include "fuzz/proof/trials.h"

namespace prelaunch::fuzz {
namespace {

// Larger calls show nothing that smaller ones do not, and take a second each.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 14;

// What a trial says: the call that is being run, from 1, and the reason once it is a finding.
constexpr std::uint32_t coded(std::size_t call, Reason reason) {
  return static_cast<std::uint32_t>(call + 1) << 8 | static_cast<std::uint32_t>(reason);
}

void run_calls(const OpInfo& op, const std::vector<StoredCall>& calls,
               std::atomic<std::uint32_t>& value) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].named.expect.verdict != Verdict::kAccept) continue;
    value = coded(i, Reason::kNone);
    const Judgement judgement =
        op.judge(calls[i].named.call, calls[i].named.expect,
                 {.explain = Explain::kNever, .max_elements = kMaxElements});
    value = coded(i, judgement.reason);
    if (judgement.is_finding()) return;
  }
}

std::optional<Catch> caught(const Trial& trial, const std::vector<StoredCall>& calls) {
  const auto reason = static_cast<Reason>(trial.value & 0xff);
  const bool finished = trial.end == Trial::End::kFinished;
  if (finished && reason == Reason::kNone) return std::nullopt;
  return Catch{finished                             ? std::string(to_string(reason))
               : trial.end == Trial::End::kTimedOut ? "timeout"
                                                    : "fault",
               path_of(calls[(trial.value >> 8) - 1]), trial.seconds};
}

planted::Planted planted_of(const Hunt& hunt) {
  if (hunt.is_clean_kernel) return {};
  return {planted::Kind::kFault, hunt.fault};
}

}  // namespace

std::vector<Hunt> hunt_with_corpus(const OpInfo& op, const std::vector<StoredCall>& calls) {
  std::vector<Hunt> hunts = {{.op = &op,
                              .name = "as it is",
                              .what = "nothing is seeded",
                              .is_clean_kernel = true,
                              .corpus = {},
                              .fuzz = {}}};
  for (const Fault& fault : faults_of(op.name)) {
    hunts.push_back({.op = &op,
                     .name = std::string(fault.name),
                     .what = std::string(fault.what),
                     .fault = hunts.size() - 1,
                     .corpus = {},
                     .fuzz = {}});
  }
  const std::vector<Trial> trials =
      run_trials(hunts.size(), [&](std::size_t i, std::atomic<std::uint32_t>& value) {
        planted::active = planted_of(hunts[i]);
        run_calls(op, calls, value);
      });
  for (std::size_t i = 0; i < hunts.size(); ++i) hunts[i].corpus = caught(trials[i], calls);
  // What the kernel as it is shows would pass for each bug's doing.
  if (hunts.front().corpus) hunts.erase(hunts.begin() + 1, hunts.end());
  return hunts;
}

void hunt_with_fuzzers(std::vector<Hunt>& hunts, std::uint64_t seed, std::chrono::seconds limit) {
  std::vector<PlantedRun> runs;
  for (const Hunt& hunt : hunts) {
    runs.push_back({hunt.op, Profile::kExecute, planted_of(hunt), seed});
  }
  const std::vector<PlantedResult> results = run_planted(runs, limit);
  for (std::size_t i = 0; i < hunts.size(); ++i) {
    if (!results[i].found) continue;
    hunts[i].fuzz = Catch{results[i].reason, "", results[i].seconds};
  }
}

}  // namespace prelaunch::fuzz
