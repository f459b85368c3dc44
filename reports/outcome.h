// Exit codes, as everywhere in Prelaunch, and how those of several programs become one.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "reports/campaign.h"
#include "reports/process.h"

namespace prelaunch::reports {

enum Outcome : int {
  kAsExpected = 0,
  kFound = 1,  // a finding, a regression, a missed figure
  kBadUsage = 2,
  kCannotTrust = 3,
  kUnresolved = 4,
  kInterrupted = 130,
};

// What a program's end means: its exit status where that is one of those `documented`, kCannotTrust
// for any other status, a signal and an overrun.
Outcome outcome_of(const Exit& exit, const std::vector<Outcome>& documented);

// "prelaunch-bench was killed by signal 11", for an end that means kCannotTrust.
std::string describe_trouble(std::string_view program, const Exit& exit);

Outcome outcome_of(RunVerdict verdict);

// Of several: interrupted, then 3, then 1, then 4, then 2.
Outcome worst(std::initializer_list<Outcome> outcomes);

}  // namespace prelaunch::reports
