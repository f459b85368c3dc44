#include "fuzz/campaign/corpus_replay.h"

#include <fmt/format.h>

#include "fuzz/campaign/finding.h"
#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/replay.h"
#include "fuzz/files.h"
#include "kernels/common/escape.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

// One bug that many stored calls show is one finding, with the first of them.
Finding corpus_finding(const OpInfo& op, const fs::path& file, const Sighting& seen) {
  return {.id = "corpus-" + finding_id(op, Profile::kExecute, {seen.reason, "", seen.detail}),
          .reason = seen.reason,
          .rule = "",
          .detail = visible("stored call " + file.stem().string() + ": " + seen.detail),
          .call = file.string(),
          .replay = "./prelaunch replay " + shell_word(file.string())};
}

std::string unreadable(const FileError& error) {
  return fmt::format("the corpus cannot be read: {}", error.what());
}

}  // namespace

void replay_corpus(const CampaignOptions& options, const OpInfo& op, KnownFindings& known,
                   std::vector<Finding>& found, std::vector<std::string>& untrusted) {
  std::vector<fs::path> files;
  try {
    files = call_files({options.root / "corpus" / op.name});
    if (files.empty()) untrusted.push_back(fmt::format("the corpus of {} is empty", op.name));
  } catch (const FileError& error) {
    untrusted.push_back(unreadable(error));
    return;
  }
  const std::vector<Quarantine> left_out = quarantine_of(known.ledger(), op);
  std::vector<Trial> trials;
  std::vector<fs::path> paths;  // of the trials
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!in_share(i, options.shard)) continue;
    try {
      const StoredCall stored = load_call(files[i]);
      if (is_quarantined(op, stored.named.call, left_out)) continue;
      trials.push_back({stored.named.call, stored.named.expect});
      paths.push_back(fs::relative(files[i], options.root));
    } catch (const FileError& error) {
      untrusted.push_back(unreadable(error));
    }
  }
  const auto take = [&](std::size_t i, const Sighting& seen) {
    if (seen.is_finding() && !known.take(op, seen)) {
      add_finding(corpus_finding(op, paths[i], seen), found);
    }
    return true;
  };
  judge_each(op, trials, take);
  fmt::print("{}: {} corpus calls replayed\n", op.name, trials.size());
}

}  // namespace prelaunch::fuzz
