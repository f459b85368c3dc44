#include "reports/outcome.h"

#include <fmt/format.h>

#include <algorithm>

namespace prelaunch::reports {
namespace {

// From what counts most to what counts least.
constexpr Outcome kOrder[] = {kInterrupted, kCannotTrust, kFound,
                              kUnresolved,  kBadUsage,    kAsExpected};

}  // namespace

const char* program_name(Part part) {
  switch (part) {
    case Part::kCampaign:
      return "prelaunch-campaign";
    case Part::kBench:
      return "prelaunch-bench";
    case Part::kReport:
      break;
  }
  return "prelaunch-report";
}

Outcome outcome_of(Part part, const Exit& exit) {
  if (exit.signal != 0 || exit.overran) return kCannotTrust;
  if (exit.status == kAsExpected) return kAsExpected;
  if (part == Part::kReport) return kCannotTrust;
  switch (exit.status) {
    case kFound:
    case kUnresolved:
    case kInterrupted:
      return static_cast<Outcome>(exit.status);
    case kBadUsage:
      return part == Part::kCampaign ? kBadUsage : kCannotTrust;
    default:
      return kCannotTrust;
  }
}

std::string describe_trouble(Part part, const Exit& exit) {
  const char* name = program_name(part);
  if (exit.overran) return fmt::format("{} ran past its budget and was stopped", name);
  if (exit.signal != 0) return fmt::format("{} was killed by signal {}", name, exit.signal);
  if (exit.status == kNotRun) return fmt::format("{} could not be started", name);
  if (exit.status == kCannotTrust) {
    return fmt::format("{} says that its result cannot be trusted", name);
  }
  return fmt::format("{} failed with exit status {}", name, exit.status);
}

Outcome outcome_of(RunVerdict verdict) {
  switch (verdict) {
    case RunVerdict::kClean:
      return kAsExpected;
    case RunVerdict::kFindings:
      return kFound;
    case RunVerdict::kUntrusted:
      break;
  }
  return kCannotTrust;
}

Outcome worst(std::initializer_list<Outcome> outcomes) {
  return *std::ranges::min_element(outcomes, {}, [](Outcome outcome) {
    return std::ranges::find(kOrder, outcome) - std::begin(kOrder);
  });
}

}  // namespace prelaunch::reports
