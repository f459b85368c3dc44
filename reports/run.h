// A run: what the files in its folder say, and the run that it is compared with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/bench_run.h"
#include "reports/campaign.h"
#include "reports/coverage.h"
#include "reports/night.h"
#include "reports/probe.h"
#include "reports/triage.h"

namespace prelaunch::reports {

// An earlier run: as much of it as is compared.
struct PreviousRun {
  std::string name;  // of its folder
  // That of the last run after it which did not end; empty where none was begun.
  std::string broken = {};
  Campaign campaign;
  std::optional<Triage> triage;
  std::optional<Coverage> coverage;
};

// What the run left behind; the page says what is absent.
struct RunFiles {
  std::optional<Campaign> campaign = {};
  std::optional<BenchRun> bench = {};
  Night night = {};
  std::optional<Triage> triage = {};
  std::optional<Probe> probe = {};
  std::optional<Coverage> coverage = {};
  std::optional<PreviousRun> previous = {};
};

// The first thing that a reader sees.
struct Headline {
  RunVerdict verdict = RunVerdict::kUntrusted;
  std::vector<std::string> reasons;
};

// The campaign's verdict and reasons, unless something speaks against them: no campaign, a trouble
// or an interrupt of the night, a planted bug that was not found, "clean" beside findings or
// buckets or without a single call run. Then the run is untrusted.
Headline headline(const RunFiles& run);

}  // namespace prelaunch::reports
