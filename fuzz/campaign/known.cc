#include "fuzz/campaign/known.h"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/campaign/finding.h"
#include "fuzz/campaign/interrupt.h"
#include "fuzz/files.h"
#include "fuzz/json.h"
#include "kernels/common/escape.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;

KnownFindings::KnownFindings(const fs::path& root, const std::vector<const OpInfo*>& ops,
                             std::vector<KnownState>& known, std::vector<std::string>& untrusted)
    : known_(known) {
  const fs::path file = root / "fuzz" / "ledger.json";
  std::error_code error;
  // Without one nothing is known, and everything counts.
  if (!fs::exists(file, error) && !error) return;
  try {
    for (KnownFinding& each : read_ledger(file)) {
      const bool chosen = std::find(ops.begin(), ops.end(), each.op) != ops.end();
      if (chosen) ledger_.push_back(std::move(each));
    }
  } catch (const FileError& error) {
    readable_ = false;
    untrusted.push_back(
        fmt::format("the ledger cannot be read, so nothing was fuzzed: {}", visible(error.what())));
  }
  for (const KnownFinding& each : ledger_) {
    known_.push_back({each.bucket, each.op, each.quarantined, each.reference, "", "", 0});
  }
}

void KnownFindings::judge_tolerated(const fs::path& out, std::vector<TargetResult>& targets) {
  for (const KnownFinding& known : ledger_) {
    if (known.quarantined || interrupted()) continue;
    const Sighting seen = judge_one(*known.op, known.trial);
    if (take(*known.op, seen)) continue;
    const auto target = std::find_if(targets.begin(), targets.end(), [&](const TargetResult& t) {
      return t.op == known.op && t.profile == Profile::kExecute;
    });
    add_finding(outdated(out, known), target->findings);
  }
}

Finding KnownFindings::outdated(const fs::path& out, const KnownFinding& known) const {
  const std::string id =
      fmt::format("{}-execute-known-{:08x}", known.op->name, text_hash(known.bucket));
  const std::string detail = fmt::format("{} no longer fails: take it out of fuzz/ledger.json ({})",
                                         known.bucket, known.reference);
  const std::string call = fmt::format("findings/{}.json", id);
  const NamedCall named{id, detail, known.trial.call, known.trial.expect};
  write_file(out / call, format_call(*known.op, named));
  return {.id = id,
          .reason = "known_finding_passes",
          .rule = "",
          .detail = detail,
          .call = call,
          .replay = "./prelaunch replay " + shell_word(fs::absolute(out / call).string())};
}

bool KnownFindings::take(const OpInfo& op, const Sighting& seen) {
  if (!seen.is_finding()) return false;
  const std::string bucket = bucket_id(op, seen);
  for (std::size_t i = 0; i < ledger_.size(); ++i) {
    if (ledger_[i].bucket != bucket || ledger_[i].quarantined) continue;
    known_[i].reason = seen.reason;
    known_[i].detail = visible(seen.detail);
    ++known_[i].seen;
    return true;
  }
  return false;
}

}  // namespace prelaunch::fuzz
