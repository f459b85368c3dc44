// What a campaign does with the ledger (ledger.h).
#pragma once

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/ledger.h"

namespace prelaunch::fuzz {

class KnownFindings {
 public:
  // Of ROOT/fuzz/ledger.json, for these ops; `known` is where their state goes, borrowed. A ledger
  // that cannot be read is a reason in `untrusted`.
  KnownFindings(const std::filesystem::path& root, const std::vector<const OpInfo*>& ops,
                std::vector<KnownState>& known, std::vector<std::string>& untrusted);

  // Judges the calls of tolerated findings. Those that no longer show are findings, with their call
  // in OUT/findings. Stops at an interrupt.
  void judge_tolerated(const std::filesystem::path& out, std::vector<TargetResult>& targets);

  // Whether what is seen is a tolerated finding, which is counted then.
  bool take(const OpInfo& op, const Sighting& seen);

  const Ledger& ledger() const { return ledger_; }
  bool is_readable() const { return readable_; }

 private:
  Finding outdated(const std::filesystem::path& out, const KnownFinding& known) const;

  Ledger ledger_;
  bool readable_ = true;
  std::vector<KnownState>& known_;  // one for each in the ledger
};

}  // namespace prelaunch::fuzz
