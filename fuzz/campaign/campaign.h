// A campaign: asks the targets whether they see anything at all, judges again what is stored, known
// and open, then fuzzes every target of the chosen ops for its share of the budget, and writes what
// it saw as campaign.json. Whatever ends it early, inputs and findings stay in the work corpus, and
// the file, which is there from the start, says what happened.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/campaign/fuzzer.h"
#include "fuzz/campaign/shard.h"
#include "fuzz/op_info.h"
#include "fuzz/stats.h"
#include "kernels/common/provenance.h"

namespace prelaunch::fuzz {

struct CampaignOptions {
  std::chrono::seconds budget{60};
  unsigned jobs = 1;
  std::vector<const OpInfo*> ops;
  EngineKind engine = EngineKind::kLibFuzzer;
  std::uint64_t seed = 1;
  std::optional<Shard> shard = std::nullopt;  // nothing: the whole campaign
  std::filesystem::path out;       // campaign.json, findings/, logs/; of a shard also corpus/
  std::filesystem::path root;      // the checkout: corpus/, git
  std::filesystem::path programs;  // where the engine's targets lie
};

struct Finding {
  std::string id;      // names its files; the same finding has the same id in every campaign
  std::string reason;  // the oracle's reason, or what ended the process
  std::string rule;    // full id, or empty
  std::string detail;  // one line
  std::string call;    // JSON file, relative to the campaign's folder or to the checkout
  std::string replay;  // the command
};

// A finding that fuzz/ledger.json knows; see ledger.h.
struct KnownState {
  std::string bucket;
  const OpInfo* op = nullptr;
  bool quarantined = false;
  std::string reference;
  std::string reason, detail;  // as it was last seen; empty where it was not
  std::uint64_t seen = 0;      // findings of it; of one in quarantine, calls that were not judged
};

// One op under one profile.
struct TargetResult {
  const OpInfo* op = nullptr;
  Profile profile = Profile::kValidate;
  EngineKind engine = EngineKind::kLibFuzzer;
  Stats stats;
  double seconds = 0;                      // summed over its workers
  std::uint64_t corpus = 0, features = 0;  // as the engine counts them: AFL++'s are edges
  std::vector<Finding> findings;
};

// The reason that a file gives until its campaign has ended.
inline constexpr std::string_view kNotEnded = "the campaign did not end";

struct CampaignResult {
  Provenance provenance;
  std::uint64_t seed = 0;
  std::optional<Shard> shard;
  std::vector<std::string> merged;  // names of the folders that were joined; empty for a campaign
  double seconds = 0;
  std::vector<std::string> untrusted;  // reasons; empty when it can be trusted
  std::vector<KnownState> known;
  std::vector<TargetResult> targets;
  bool interrupted = false;
  bool ended = true;  // false in the file of a campaign that is under way, or was killed

  bool has_findings() const;
  // "clean", "findings" or "untrusted"; an interrupted run is not to be trusted.
  std::string_view verdict() const;
  // 130 interrupted, 3 untrusted, 1 findings, 0.
  int exit_code() const;
};

// Runs to the end of the budget, or until SIGINT or SIGTERM, and writes OUT/campaign.json: at the
// start, on the way, and at the end. Throws FileError when a folder cannot be written; everything
// else that goes wrong is in the result.
CampaignResult run_campaign(const CampaignOptions& options);

// The text of campaign.json, schema prelaunch.campaign/1.
std::string campaign_json(const CampaignResult& result);

}  // namespace prelaunch::fuzz
