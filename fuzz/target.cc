#include "fuzz/target.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "fuzz/quarantine.h"

namespace prelaunch::fuzz {

void report_finding(const OpInfo& op, const Expectation& expect, const Judgement& judgement) {
  // Of a call that was accepted, the rule that should have fired.
  const std::size_t index = judgement.accepted ? expect.rule : judgement.rule;
  const std::string rule = index == kNoRule ? "none" : full_id(op, index);
  std::fprintf(stderr, "prelaunch finding: op=%.*s reason=%.*s rule=%s detail=%s\n",
               static_cast<int>(op.name.size()), op.name.data(),
               static_cast<int>(to_string(judgement.reason).size()),
               to_string(judgement.reason).data(), rule.c_str(), judgement.detail.c_str());
  std::abort();
}

namespace {

// To look at each would take a tenth of the time.
constexpr std::uint64_t kSampleInterval = 16;

// Whether the call is one of the last few that were asked about.
bool is_repeated(const OpInfo& op, const Call& call) {
  static std::array<std::uint64_t, 64> recent{};
  static std::array<std::uint8_t, kMaxExplicitBytes> bytes;
  std::uint64_t hash = 0xcbf29ce484222325u;
  const std::size_t size = encode(op, call, bytes);
  for (const std::uint8_t byte : std::span(bytes).first(size))
    hash = (hash ^ byte) * 0x100000001b3u;
  return std::exchange(recent[hash % recent.size()], hash) == hash;
}

void count_repetition(const OpInfo& op, const Call& call, Stats& counts) {
  if (counts.executions % kSampleInterval != 0) return;
  ++counts.sampled;
  counts.repeated += is_repeated(op, call);
}

bool is_quarantined(const OpInfo& op, const Call& call, Stats& counts) {
  const std::vector<Quarantine>& known = quarantine(op);
  if (known.empty()) return false;
  Call clean = call;
  canonical(op, clean);
  const auto place = place_in_quarantine(op, clean, known);
  if (place) ++counts.quarantined[std::min(*place, kMostQuarantined - 1)];
  return place.has_value();
}

}  // namespace

int run_input(const OpInfo& op, std::span<const std::uint8_t> bytes, Profile profile) {
  static Call call;
  Stats& counts = stats();
  const Expectation expect = decode(op, bytes, call);
  count_repetition(op, call, counts);
  if (is_quarantined(op, call, counts)) {
    ++counts.executions;
    return 0;
  }
  const Judgement judgement = op.judge(call, expect,
                                       {.profile = profile,
                                        .explain = Explain::kSampled,
                                        .max_elements = kMaxElements,
                                        .without_rule = kNoRule});
  ++counts.executions;
  ++(judgement.accepted ? counts.accepted : counts.rejected);
  counts.executed += judgement.runs > 0;
  counts.valid += expect.verdict == Verdict::kAccept;
  counts.violations += expect.verdict == Verdict::kReject;
  if (judgement.rule != kNoRule) ++counts.fired[judgement.rule];
  if (judgement.is_finding()) report_finding(op, expect, judgement);
  return 0;
}

}  // namespace prelaunch::fuzz
