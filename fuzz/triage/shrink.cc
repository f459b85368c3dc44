#include "fuzz/triage/shrink.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "fuzz/codec.h"
#include "fuzz/difference.h"
#include "fuzz/seeds.h"
#include "fuzz/triage/drawn_case.h"
#include "fuzz/triage/simpler.h"

namespace prelaunch::fuzz {
namespace {

// What trials may cost, for one finding: one that faults, and ends its process, as much as ten.
constexpr std::size_t kMostCost = 2000;
std::size_t cost(const Sighting& seen) { return seen.frames.empty() ? 1 : 10; }
// Calls drawn, and of those that are small enough how many are judged.
constexpr std::uint64_t kDraws = 20000;
constexpr std::size_t kMostJudged = 400;
// Cases drawn to find one that shows a fault or a wrong result.
constexpr std::size_t kCaseDraws = 1000;
// With so few differences no other call is looked for.
constexpr std::size_t kFew = 2;

double elements(const TensorSpec& t) {
  double out = 1;
  for (std::int32_t d = 0; d < std::clamp(t.rank, 0, kMaxRank); ++d) {
    out *= std::abs(static_cast<double>(t.shape[static_cast<std::size_t>(d)]));
  }
  return out;
}

double elements_of(const OpInfo& op, const Call& call) {
  double out = 0;
  for (std::size_t i = 0; i < op.fields.size(); ++i) {
    const bool given = op.fields[i].type == FieldType::kTensor && !call.values[i].absent;
    if (given) out += elements(call.values[i].tensor);
  }
  return out;
}

double numbers(const TensorSpec& t) {
  double out = static_cast<double>(t.offset) + t.fill.count;
  for (std::size_t d = 0; d < t.shape.size(); ++d) {
    out += std::abs(static_cast<double>(t.shape[d])) + std::abs(static_cast<double>(t.strides[d]));
  }
  return out;
}

// Where the caller stands and what the memory holds: no verdict depends on it.
Call without_surroundings(Call call) {
  call.current_device = 0;
  call.fill = 0;
  for (Value& value : call.values) value.tensor.fill = {};
  return call;
}

using Shows = std::function<bool(const Sighting&)>;

class StepByStep {
 public:
  // As long as `shows` says so of what is seen.
  StepByStep(const OpInfo& op, const Trial& trial, Shows shows)
      : op_(op), shows_(std::move(shows)), best_(trial) {
    // What a smaller call's verdict must be is not known; that it shows the same is.
    best_.expect = {};
    size_ = size_of(op, best_.call);
  }

  Trial run() {
    while (spent_ < kMostCost && step()) {
    }
    return best_;
  }

 private:
  bool step() {
    std::vector<Call> next = closer_calls(op_, best_.call, default_call(op_));
    for (const std::vector<Call>& more :
         {closer_calls(op_, best_.call, nearest_case()), smaller_calls(op_, best_.call)}) {
      next.insert(next.end(), more.begin(), more.end());
    }
    return take_first(next);
  }
  // Some arguments only go together: those of a valid call do.
  const Call& nearest_case() const {
    const auto distance = [this](const NamedCall& named) {
      return differences(op_, named.call, best_.call).size();
    };
    return std::min_element(cases_.begin(), cases_.end(),
                            [&](const auto& a, const auto& b) { return distance(a) < distance(b); })
        ->call;
  }

  // The first of the calls that is smaller and shows it.
  bool take_first(std::vector<Call>& calls) {
    std::vector<Trial> trials;
    for (Call& call : calls) {
      canonical(op_, call);
      if (size_of(op_, call) < size_ && is_new(call)) trials.push_back({call, {}});
    }
    bool found = false;
    judge_each(op_, trials, [&](std::size_t i, const Sighting& now) {
      spent_ += cost(now);
      found = shows_(now);
      if (found) best_ = trials[i];
      return !found && spent_ < kMostCost;
    });
    size_ = size_of(op_, best_.call);
    return found;
  }
  bool is_new(const Call& call) { return tried_.insert(encode(op_, call)).second; }

  const OpInfo& op_;
  const Shows shows_;
  Trial best_;
  CallSize size_;
  const std::vector<NamedCall> cases_ = accepted_calls(op_);
  std::set<std::vector<std::uint8_t>> tried_;
  std::size_t spent_ = 0;
};

// A drawn case that shows it, with as many members as possible from the default one.
class FromCases {
 public:
  FromCases(const OpInfo& op, const Call& call, const Sighting& seen)
      : op_(op), call_(call), seen_(seen) {}

  std::optional<Trial> run() {
    const auto draw = [](std::size_t i) { return DrawnCase{i, 0}; };
    const auto found = first(kCaseDraws, draw);
    if (!found) return std::nullopt;
    best_ = draw(*found);
    // Members that go only together are taken over together.
    while (take_over(1) || take_over(2)) {
    }
    return trial(best_);
  }

 private:
  // With what the memory holds in the finding's call.
  Trial trial(const DrawnCase& drawn) const {
    Trial out{call_of(op_, drawn), {}};
    out.call.fill = call_.fill;
    for (std::size_t i = 0; i < op_.fields.size(); ++i) {
      out.call.values[i].tensor.fill = call_.values[i].tensor.fill;
    }
    canonical(op_, out.call);
    return out;
  }
  // The first of the cases that shows it.
  template <class Of>
  std::optional<std::size_t> first(std::size_t count, const Of& of) {
    std::optional<std::size_t> out;
    judge_each(
        op_, count, [&](std::size_t i) { return trial(of(i)); },
        [&](std::size_t i, const Sighting& now) {
          spent_ += cost(now);
          if (same_sighting(now, seen_)) out = i;
          return !out && spent_ < kMostCost;
        });
    return out;
  }
  bool take_over(int members) {
    std::vector<std::uint32_t> next;
    const std::uint32_t end = std::uint32_t{1} << case_members(op_);
    for (std::uint32_t a = 1; a < end; a <<= 1) {
      for (std::uint32_t b = members == 1 ? a : a << 1; b < end; b <<= 1) {
        if ((best_.defaults & (a | b)) == 0) next.push_back(best_.defaults | a | b);
        if (members == 1) break;
      }
    }
    const auto of = [&](std::size_t i) { return DrawnCase{best_.seed, next[i]}; };
    const auto found = first(next.size(), of);
    if (found) best_ = of(*found);
    return found.has_value();
  }

  const OpInfo& op_;
  const Call& call_;
  const Sighting& seen_;
  DrawnCase best_;
  std::size_t spent_ = 0;
};

bool same_verdict(const Expectation& a, const Expectation& b) {
  return a.verdict == b.verdict && a.rule == b.rule;
}

// Calls whose verdict is known to be that of the trial.
std::vector<Trial> vouched(const OpInfo& op, const Expectation& expect) {
  std::vector<Trial> out;
  for (NamedCall& named : seeds(op)) {
    if (same_verdict(named.expect, expect)) out.push_back({named.call, named.expect});
  }
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    Choices choose(seed);
    Trial trial;
    trial.expect = op.generate(choose, trial.call);
    if (same_verdict(trial.expect, expect)) out.push_back(trial);
  }
  return out;
}

// The smallest of the vouched calls that shows it.
Trial redraw(const OpInfo& op, const Trial& trial, const Sighting& seen) {
  Trial start = trial;
  start.call = without_surroundings(trial.call);
  if (!same_sighting(judge_one(op, start), seen)) start = trial;
  const CallSize most = size_of(op, start.call);
  std::multimap<CallSize, Trial> sized;  // of equal ones the first stays the first
  for (Trial& each : vouched(op, trial.expect)) {
    each.call = without_surroundings(each.call);
    canonical(op, each.call);
    const CallSize size = size_of(op, each.call);
    if (size < most) sized.emplace(size, each);
  }
  std::vector<Trial> trials;
  for (auto& [size, each] : sized) {
    if (trials.size() < kMostJudged) trials.push_back(each);
  }
  judge_each(op, trials, [&](std::size_t i, const Sighting& now) {
    if (!same_sighting(now, seen)) return true;
    start = trials[i];
    return false;
  });
  return start;
}

}  // namespace

CallSize size_of(const OpInfo& op, const Call& call) {
  CallSize out;
  out.differences = differences(op, default_call(op), call).size() + (call.current_device != 0);
  out.elements = elements_of(op, call);
  for (std::size_t i = 0; i < op.fields.size(); ++i) {
    const Value& value = call.values[i];
    if (value.absent) continue;
    out.differences += !value.tensor.fill.is_default();
    out.numbers += std::abs(static_cast<double>(value.integer));
    if (op.fields[i].type == FieldType::kTensor) out.numbers += numbers(value.tensor);
  }
  out.numbers += call.fill != 0;
  return out;
}

Trial shrink(const OpInfo& op, const Trial& trial, const Sighting& seen) {
  if (seen.is_about_verdict()) return redraw(op, trial, seen);
  // Each trial of an input that never ends takes as long as an input may.
  if (seen.reason == "timeout") return trial;
  const auto same = [&seen](const Sighting& now) { return same_sighting(now, seen); };
  const Trial own = StepByStep(op, trial, same).run();
  if (size_of(op, own.call).differences <= kFew) return own;
  const auto drawn = FromCases(op, trial.call, seen).run();
  if (!drawn) return own;
  const Trial other = StepByStep(op, *drawn, same).run();
  return size_of(op, other.call) < size_of(op, own.call) ? other : own;
}

Trial provoke(const OpInfo& op, const Trial& trial) {
  return StepByStep(op, trial,
                    [](const Sighting& now) { return now.is_finding() && !now.is_about_verdict(); })
      .run();
}

}  // namespace prelaunch::fuzz
