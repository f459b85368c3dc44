// What judging a call shows: the particulars by which one bug is told from another.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

struct Sighting {
  std::string reason;  // the oracle's, or what ended the process; empty: no finding
  // Index of the rule to blame, or kNoRule: of a rule that let a call through or fired in vain.
  std::size_t rule = kNoRule;
  std::string detail;               // one line
  std::vector<std::string> frames;  // of a fault: functions of the op's sources, innermost first

  bool is_finding() const { return !reason.empty(); }
  // The verdict is wrong, whatever the kernel does.
  bool is_about_verdict() const;
};

// A call, and what is known about its verdict.
struct Trial {
  Call call;
  Expectation expect;
};

// Takes what became of a trial; false ends the judging.
using OnSighting = std::function<bool(std::size_t trial, const Sighting&)>;

// Judges trials in order, in child processes, so that a fault ends only one of them: there they are
// made, too. Throws FileError where a child cannot be started, and Interrupted.
void judge_each(const OpInfo& op, std::size_t count,
                const std::function<Trial(std::size_t)>& trial_of, const OnSighting& take);
void judge_each(const OpInfo& op, std::span<const Trial> trials, const OnSighting& take);
// The same for one.
Sighting judge_one(const OpInfo& op, const Trial& trial);

// Whether both show the same: reason, rule, and functions on the stack; of a wrong result also the
// output.
bool same_sighting(const Sighting& a, const Sighting& b);

// Names what is seen, the same in every run and on every machine:
// "ulysses_pack-accepted_bad_call-0badcafe".
std::string bucket_id(const OpInfo& op, const Sighting& seen);

}  // namespace prelaunch::fuzz
