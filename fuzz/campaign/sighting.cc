#include "fuzz/campaign/sighting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>

#include "fuzz/backing.h"
#include "fuzz/campaign/answers.h"
#include "fuzz/campaign/finding.h"
#include "fuzz/campaign/fuzzer.h"
#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/log.h"
#include "fuzz/campaign/symbols.h"

// A report with lines takes half a second; symbols.h names functions at a fraction of that.
extern "C" const char* __asan_default_options() {
  return "symbolize=0:handle_abort=1:abort_on_error=0:detect_leaks=0:quarantine_size_mb="
         "16" PRELAUNCH_ASAN_BESIDE_CUDA;
}

extern "C" const char* __ubsan_default_options() { return "print_stacktrace=1"; }

namespace prelaunch::fuzz {
namespace {

constexpr char kSeparator = '\0';
// More of a stack says where a function was called, not what it does.
constexpr std::size_t kMostFrames = 2;

// A rule that lets through what it must reject, or rejects what comes first at a later one, is to
// blame; so is one that fires before the one that is broken.
std::size_t blamed_rule(const Judgement& judgement, const Expectation& expect) {
  if (judgement.accepted) return expect.verdict == Verdict::kReject ? expect.rule : kNoRule;
  if (judgement.reason == Reason::kWrongRule) return std::min(judgement.rule, expect.rule);
  return judgement.rule;
}

std::string told(const OpInfo& op, const Trial& trial) {
  alarm(kInputSeconds);
  const Judgement judgement = op.judge(trial.call, trial.expect, {});
  if (!judgement.is_finding()) return {};
  return fmt::format("{}{}{}{}{}", to_string(judgement.reason), kSeparator,
                     blamed_rule(judgement, trial.expect), kSeparator, judgement.detail);
}

Sighting parsed(const std::string& text) {
  Sighting out;
  if (text.empty()) return out;
  const std::size_t first = text.find(kSeparator);
  const std::size_t second = text.find(kSeparator, first + 1);
  out.reason = text.substr(0, first);
  std::from_chars(text.data() + first + 1, text.data() + second, out.rule);
  out.detail = text.substr(second + 1);
  return out;
}

Sighting fault(const OpInfo& op, int status, const std::string& report) {
  const LogFinding said = read_finding(report);
  Sighting out{said.reason, kNoRule, said.detail, {}};
  if (said.reason == "ended") {
    const bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    out.reason = late ? "timeout" : "fault";
    out.detail = how_it_ended(status);
  }
  out.frames = functions_of(op.name, report);
  if (out.frames.size() > kMostFrames) out.frames.resize(kMostFrames);
  if (out.reason == "address_sanitizer") {
    const std::string kind = out.detail.substr(0, out.detail.find(' '));
    out.detail = out.frames.empty() ? kind : fmt::format("{} in {}", kind, out.frames.front());
  }
  return out;
}

// The output of "out[0, 2] is 1, expected 2".
std::string_view subject(std::string_view detail) { return detail.substr(0, detail.find('[')); }

// What a bucket is named by.
std::string particulars(const OpInfo& op, const Sighting& seen) {
  const std::string rule = seen.rule == kNoRule ? "" : numbered_id(op, seen.rule);
  std::string where = fmt::format("{}", fmt::join(seen.frames, "<"));
  if (seen.reason == to_string(Reason::kWrongResult)) where = subject(seen.detail);
  return fmt::format("{}/{}/{}", seen.reason, rule, where);
}

}  // namespace

bool Sighting::is_about_verdict() const {
  constexpr auto kVerdicts =
      std::to_array<Reason>({Reason::kAcceptedBadCall, Reason::kRejectedGoodCall,
                             Reason::kWrongRule, Reason::kWrongArgument});
  return std::any_of(kVerdicts.begin(), kVerdicts.end(),
                     [this](Reason each) { return reason == to_string(each); });
}

void judge_each(const OpInfo& op, std::size_t count,
                const std::function<Trial(std::size_t)>& trial_of, const OnSighting& take) {
  const auto answer = [&](std::size_t i) { return told(op, trial_of(i)); };
  for (std::size_t next = 0; next < count; ++next) {
    Answers answers(next, count, answer);
    for (; const auto text = answers.next(); ++next) {
      if (!take(next, parsed(*text))) return;
      if (interrupted()) throw Interrupted();
    }
    if (next == count) return;
    const auto [status, report] = answers.end();
    if (interrupted()) throw Interrupted();
    if (!take(next, fault(op, status, report))) return;
  }
}

void judge_each(const OpInfo& op, std::span<const Trial> trials, const OnSighting& take) {
  judge_each(op, trials.size(), [trials](std::size_t i) { return trials[i]; }, take);
}

Sighting judge_one(const OpInfo& op, const Trial& trial) {
  Sighting out;
  judge_each(op, {&trial, 1}, [&out](std::size_t, const Sighting& seen) {
    out = seen;
    return true;
  });
  return out;
}

bool same_sighting(const Sighting& a, const Sighting& b) {
  if (a.reason != b.reason || a.rule != b.rule || a.frames != b.frames) return false;
  return a.reason != to_string(Reason::kWrongResult) || subject(a.detail) == subject(b.detail);
}

std::string bucket_id(const OpInfo& op, const Sighting& seen) {
  // It names files, and a reason may come from one that anybody has written.
  const std::string reason = is_finding_id(seen.reason) ? seen.reason.substr(0, 40) : "finding";
  return fmt::format("{}-{}-{:08x}", op.name, reason, text_hash(particulars(op, seen)));
}

}  // namespace prelaunch::fuzz
