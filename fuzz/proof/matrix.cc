#include "fuzz/proof/matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/difference.h"
#include "fuzz/proof/trials.h"

namespace prelaunch::fuzz {
namespace {

// A stored call that breaks `rule` first.
struct Candidate {
  std::size_t rule;
  const StoredCall* call;
  std::optional<Neighbour> neighbour;
  Consequence consequence;
};

std::size_t other_contents(const OpInfo& op, const Call& a, const Call& b) {
  std::size_t count = a.fill != b.fill;
  for (std::size_t i = 0; i < op.fields.size(); ++i) {
    count += !(a.values[i].tensor.fill == b.values[i].tensor.fill);
  }
  return count;
}

// The fewest differences; of several, the one whose tensors hold the same.
std::optional<Neighbour> nearest(const StoredCall& stored,
                                 const std::vector<const StoredCall*>& accepted) {
  std::optional<Neighbour> found;
  std::pair<std::size_t, std::size_t> least;
  for (const StoredCall* other : accepted) {
    const auto all = differences(*stored.op, other->named.call, stored.named.call);
    if (!is_one_edit(all)) continue;
    const std::pair distance{all.size(),
                             other_contents(*stored.op, stored.named.call, other->named.call)};
    if (found && distance >= least) continue;
    least = distance;
    found = Neighbour{other, to_string(*stored.op, all)};
  }
  return found;
}

std::vector<Candidate> candidates(const OpInfo& op, const std::vector<StoredCall>& calls) {
  std::vector<Candidate> out;
  std::vector<const StoredCall*> accepted;
  for (const StoredCall& stored : calls) {
    if (stored.named.expect.verdict == Verdict::kAccept) accepted.push_back(&stored);
  }
  for (const StoredCall& stored : calls) {
    if (stored.named.expect.verdict != Verdict::kReject) continue;
    const std::size_t rule =
        op.judge(stored.named.call, {}, {.profile = Profile::kValidate, .explain = Explain::kNever})
            .rule;
    if (rule == kNoRule) continue;  // the replay's finding
    if (auto neighbour = nearest(stored, accepted)) {
      out.push_back({rule, &stored, std::move(neighbour), {}});
    }
  }
  return out;
}

// What a trial says: a Phase while it runs; then what was seen, and which rule.
constexpr std::uint32_t kSeen = 16;
std::uint32_t coded(Skipped skipped, std::size_t rule = 0) {
  return kSeen + static_cast<std::uint32_t>(skipped) + (static_cast<std::uint32_t>(rule) << 8);
}

std::uint32_t judged_without(const OpInfo& op, const Candidate& candidate,
                             std::atomic<std::uint32_t>& phase) {
  const Judgement judgement = op.judge(candidate.call->named.call, {},
                                       {.explain = Explain::kNever,
                                        .without_rule = candidate.rule,
                                        .memory_of = &candidate.neighbour->call->named.call,
                                        .phase = &phase});
  if (!judgement.accepted) return coded(Skipped::kRule, judgement.rule);
  if (judgement.reason == Reason::kLaunchFailed) return coded(Skipped::kFault);
  if (judgement.is_finding()) return coded(Skipped::kWrongResult);
  return coded(judgement.runs == 0 ? Skipped::kNotRun : Skipped::kNone);
}

Consequence decoded(const Trial& trial) {
  if (trial.end == Trial::End::kTimedOut) return {};
  if (trial.end == Trial::End::kFinished) {
    const std::uint32_t seen = trial.value - kSeen;
    return {static_cast<Skipped>(seen & 0xff), seen >> 8};
  }
  switch (static_cast<Phase>(trial.value)) {
    case Phase::kPreparing:
      return {};
    case Phase::kChecking:
    case Phase::kLaunching:
      return {Skipped::kFault, kNoRule};
    case Phase::kComparing:
      break;  // what the definition itself cannot compute is no result that could be right
  }
  return {Skipped::kWrongResult, kNoRule};
}

Witnessed witness_of(const OpInfo& op, std::size_t rule, const std::vector<Candidate>& all) {
  Witnessed out;
  out.rule = rule;
  for (const Candidate& each : all) {
    if (each.rule != rule) continue;
    if (out.call != nullptr && each.consequence.skipped <= out.consequence.skipped) continue;
    out.call = each.call;
    out.consequence = each.consequence;
    out.neighbour = each.neighbour;
  }
  const RuleInfo& info = op.rules[rule];
  if (out.call == nullptr) {
    out.finding = "no stored call is one edit away from an accepted one and breaks it first";
  } else if (info.kind == RuleKind::kPolicy) {
    if (info.why.empty()) out.finding = "a policy without a reason";
  } else if (out.consequence.skipped <= Skipped::kNone) {
    out.finding = fmt::format(
        "{} rule, but nothing comes of leaving it out: {}", to_string(info.kind),
        out.consequence.skipped == Skipped::kNone ? "the result is right" : "too large to be run");
  }
  return out;
}

}  // namespace

std::string to_string(const OpInfo& op, const Consequence& consequence) {
  switch (consequence.skipped) {
    case Skipped::kFault:
      return "fault";
    case Skipped::kWrongResult:
      return "wrong_result";
    case Skipped::kRule:
      return "rule:" + numbered_id(op, consequence.rule);
    case Skipped::kNone:
    case Skipped::kNotRun:
      break;
  }
  return "none";
}

std::vector<Witnessed> witness_matrix(const OpInfo& op, const std::vector<StoredCall>& calls) {
  std::vector<Candidate> all = candidates(op, calls);
  const std::vector<Trial> trials =
      run_trials(all.size(), [&](std::size_t i, std::atomic<std::uint32_t>& value) {
        value = judged_without(op, all[i], value);
      });
  for (std::size_t i = 0; i < all.size(); ++i) all[i].consequence = decoded(trials[i]);
  std::vector<Witnessed> out;
  for (std::size_t rule = 0; rule < op.rules.size(); ++rule) {
    out.push_back(witness_of(op, rule, all));
  }
  return out;
}

}  // namespace prelaunch::fuzz
