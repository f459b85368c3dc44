#include "fuzz/campaign/corpus_replay.h"

#include <fmt/format.h>

#include "fuzz/campaign/finding.h"
#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/replay.h"
#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

// One bug that many stored calls show is one finding, with the first of them.
Finding corpus_finding(const OpInfo& op, const fs::path& file, const Replayed& replayed) {
  return {
      .id = "corpus-" + finding_id(op, Profile::kExecute, {replayed.reason, "", replayed.detail}),
      .reason = replayed.reason,
      .rule = "",
      .detail = "stored call " + file.stem().string() + ": " + replayed.detail,
      .call = file.string(),
      .replay = "./prelaunch replay " + shell_word(file.string())};
}

std::string unreadable(const FileError& error) {
  return fmt::format("the corpus cannot be read: {}", error.what());
}

}  // namespace

void replay_corpus(const CampaignOptions& options, const OpInfo& op, std::vector<Finding>& found,
                   std::vector<std::string>& untrusted) {
  std::vector<fs::path> files;
  try {
    files = call_files({options.root / "corpus" / op.name});
    if (files.empty()) untrusted.push_back(fmt::format("the corpus of {} is empty", op.name));
  } catch (const FileError& error) {
    untrusted.push_back(unreadable(error));
    return;
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (interrupted()) return;
    if (!in_share(i, options.shard)) continue;
    ++count;
    try {
      const Replayed replayed = replay(load_call(files[i]), {});
      const fs::path file = fs::relative(files[i], options.root);
      if (replayed.finding) add_finding(corpus_finding(op, file, replayed), found);
    } catch (const FileError& error) {
      untrusted.push_back(unreadable(error));
    }
  }
  fmt::print("{}: {} corpus calls replayed\n", op.name, count);
}

}  // namespace prelaunch::fuzz
