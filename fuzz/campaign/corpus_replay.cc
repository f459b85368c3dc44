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
  std::vector<StoredCall> calls;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!in_share(i, options.shard)) continue;
    try {
      calls.push_back(load_call(files[i]));
    } catch (const FileError& error) {
      untrusted.push_back(unreadable(error));
    }
  }
  std::size_t count = 0;
  const auto take = [&](const StoredCall& stored, const Replayed& replayed) {
    ++count;
    const fs::path file = fs::relative(stored.path, options.root);
    if (replayed.finding) add_finding(corpus_finding(op, file, replayed), found);
    return !interrupted();
  };
  replay_each(calls, [](const StoredCall&) { return JudgeOptions{}; }, take);
  if (interrupted()) return;
  fmt::print("{}: {} corpus calls replayed\n", op.name, count);
}

}  // namespace prelaunch::fuzz
