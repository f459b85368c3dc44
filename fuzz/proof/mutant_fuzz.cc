#include "fuzz/proof/mutant_fuzz.h"

#include <algorithm>

#include "fuzz/proof/planted_run.h"
#include "fuzz/proof/trials.h"

namespace prelaunch::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr JudgeOptions kAsked{.profile = Profile::kValidate, .explain = Explain::kNever};

// Every change is as likely to be among them.
void keep_sample(std::vector<Change>& changes, const MutantFuzz& how) {
  Choices choose(how.seed);
  const std::size_t count = std::min<std::size_t>(how.sample, changes.size());
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(changes[i], changes[i + choose.below(changes.size() - i)]);
  }
  changes.resize(count);
}

Times times_of(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::sort(seconds.begin(), seconds.end());
  return {seconds.size(), seconds[seconds.size() / 2], seconds.back()};
}

// Draws calls until one is judged otherwise than its author expects.
bool draw_until_noticed(const OpInfo& op, const Change& change, const MutantFuzz& how) {
  planted::active = change.planted;
  Choices choose(how.seed);
  const Clock::time_point end = Clock::now() + std::chrono::seconds{how.seconds};
  Call call;
  for (std::uint64_t i = 0; i % 256 != 0 || Clock::now() < end; ++i) {
    const Expectation expect = op.generate(choose, call);
    if (op.judge(call, expect, kAsked).is_finding()) return true;
  }
  return false;
}

Times draw_calls(const OpInfo& op, const std::vector<Change>& changes, const MutantFuzz& how) {
  const std::vector<Trial> trials =
      run_trials(changes.size(), [&](std::size_t i, std::atomic<std::uint32_t>& noticed) {
        noticed = draw_until_noticed(op, changes[i], how);
      });
  std::vector<double> seconds;
  for (const Trial& trial : trials) {
    if (trial.end != Trial::End::kFinished || trial.value != 0) seconds.push_back(trial.seconds);
  }
  return times_of(std::move(seconds));
}

}  // namespace

FuzzScore fuzz_changes(const OpInfo& op, std::vector<Change> changes, const MutantFuzz& how) {
  keep_sample(changes, how);
  std::vector<PlantedRun> runs;
  for (const Change& change : changes) {
    runs.push_back({&op, Profile::kValidate, change.planted, how.seed});
  }
  FuzzScore out{.sample = changes.size(), .fuzz = {}, .random = {}, .missed = {}};
  std::vector<double> seconds;
  const auto results = run_planted(runs, std::chrono::seconds{how.seconds});
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].found) {
      seconds.push_back(results[i].seconds);
    } else {
      out.missed.push_back(changes[i].name);
    }
  }
  out.fuzz = times_of(std::move(seconds));
  out.random = draw_calls(op, changes, how);
  return out;
}

}  // namespace prelaunch::fuzz
