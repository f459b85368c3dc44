#include "fuzz/target.h"

#include <cstdio>
#include <cstdlib>

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

int run_input(const OpInfo& op, std::span<const std::uint8_t> bytes, Profile profile) {
  static Call call;
  Stats& counts = stats();
  const Expectation expect = decode(op, bytes, call);
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
