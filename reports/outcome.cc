#include "reports/outcome.h"

#include <fmt/format.h>

#include <algorithm>

namespace prelaunch::reports {
namespace {

// From what counts most to what counts least.
constexpr Outcome kOrder[] = {kInterrupted, kCannotTrust, kFound,
                              kUnresolved,  kBadUsage,    kAsExpected};

}  // namespace

Outcome outcome_of(const Exit& exit, const std::vector<Outcome>& documented) {
  if (exit.signal != 0 || exit.overran) return kCannotTrust;
  const auto meant = std::ranges::find(documented, exit.status);
  return meant == documented.end() ? kCannotTrust : *meant;
}

std::string describe_trouble(std::string_view program, const Exit& exit) {
  if (exit.overran) return fmt::format("{} ran past its time and was stopped", program);
  if (exit.signal != 0) return fmt::format("{} was killed by signal {}", program, exit.signal);
  if (exit.status == kNotRun) return fmt::format("{} could not be started", program);
  if (exit.status == kCannotTrust) {
    return fmt::format("{} says that its result cannot be trusted", program);
  }
  return fmt::format("{} failed with exit status {}", program, exit.status);
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
