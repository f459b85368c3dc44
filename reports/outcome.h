// Exit codes, as everywhere in Prelaunch, and how those of several programs become one.
#pragma once

#include <initializer_list>
#include <span>
#include <string>

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

// The programs that a night runs. Which of them says that its input is bad matters: the campaign
// got the user's own words, while the others are only run with what the campaign accepted.
enum class Part { kCampaign, kBench, kReport };
// "prelaunch-campaign", ...
const char* program_name(Part part);

// What a part's end means for the night; kCannotTrust for all that is no documented exit code.
Outcome outcome_of(Part part, const Exit& exit);

// "prelaunch-bench was killed by signal 11", for an end that means kCannotTrust.
std::string describe_trouble(Part part, const Exit& exit);

Outcome outcome_of(RunVerdict verdict);

// Of several: interrupted, then 3, then 1, then 4, then 2.
Outcome worst(std::initializer_list<Outcome> outcomes);

}  // namespace prelaunch::reports
