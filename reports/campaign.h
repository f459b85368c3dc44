// A fuzzing campaign as campaign.json tells it (schema prelaunch.campaign/1).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/common/json_node.h"
#include "reports/run_context.h"

namespace prelaunch::reports {

enum class RunVerdict { kClean, kFindings, kUntrusted };
// "clean", "findings", "untrusted"
const char* to_string(RunVerdict verdict);

struct Finding {
  std::string id, reason;
  std::optional<std::string> rule;  // full id, where one is concerned
  std::string detail;               // one line; may be empty
  std::string call;                 // path of the call's JSON file
  std::string replay;               // shell command line that reproduces it
};

// One op, fuzzed in one way by one engine.
struct Target {
  std::string op;
  std::string profile;  // "validate": the checker alone; "execute": accepted calls are run
  std::string engine;
  std::uint64_t executions = 0, accepted = 0, rejected = 0;
  double seconds = 0, executions_per_second = 0;
  std::optional<std::uint64_t> corpus, features;     // null where the engine keeps none
  std::map<std::string, std::uint64_t> rules_fired;  // every rule id of the op, those with 0 too
  std::vector<Finding> findings;
};

// A finding that the ledger knows: it is none of the targets' findings and spoils no verdict.
struct KnownFinding {
  std::string id, op;
  std::string state;      // "tolerated": still run; "quarantined": not run any more
  std::string reference;  // where it is being dealt with
  std::string reason, detail;
  std::uint64_t seen = 0;  // how often in this campaign
};

struct Campaign {
  RunVerdict verdict = RunVerdict::kUntrusted;
  std::vector<std::string> reasons;
  RunContext context;
  std::vector<Target> targets;
  std::vector<KnownFinding> known;

  std::uint64_t executions() const;
  std::uint64_t finding_count() const;
};

// Throws JsonError.
Campaign parse_campaign(std::string_view text);

// How often each rule fired, over all targets of an op: op -> rule id -> count.
std::map<std::string, std::map<std::string, std::uint64_t>> rules_by_op(const Campaign& campaign);

}  // namespace prelaunch::reports
