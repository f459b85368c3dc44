// Joins the corpora of campaigns: the target itself says which inputs add coverage.
#pragma once

#include <optional>

#include "fuzz/campaign/merge.h"

namespace prelaunch::fuzz {

// Of one target.
struct JoinedCorpus {
  const OpInfo* op = nullptr;
  Profile profile = Profile::kValidate;
  std::size_t had = 0;      // inputs in the work corpus
  std::size_t offered = 0;  // inputs in the folders
  std::size_t ignored = 0;  // larger than kMaxInputBytes, no regular files, or unreadable
  std::vector<std::filesystem::path> gained;  // in OUT/.parts
  std::vector<std::filesystem::path> ended;   // inputs that ended the target, in OUT/.parts
};

// The log of a target's merge.
std::filesystem::path join_log(const std::filesystem::path& out, const OpInfo& op, Profile profile);

// Lets every target for which a folder has inputs choose among them, in OUT/.parts: nothing is
// written elsewhere but logs. Stops at an interrupt. Reasons not to trust the choice are added to
// `untrusted`. Throws FileError.
std::vector<JoinedCorpus> join_corpora(const MergeOptions& options,
                                       std::vector<std::string>& untrusted);

// Writes what was gained into the work corpus, each input whole. Throws FileError.
void keep_gained(const MergeOptions& options, const JoinedCorpus& joined);

struct Minimized {
  std::size_t had, kept;

  friend bool operator==(const Minimized&, const Minimized&) = default;
};

// Leaves in the folder `work` the inputs that the program chooses to cover all that they and
// `seeds` cover. Inputs go one by one once the choice is made: whatever ends the process before or
// after that, no coverage is lost. Nothing when the program did not choose: at an interrupt, and
// where it failed or one of the inputs ended it, as its log says. Works in the folder `scratch`.
// Throws FileError.
std::optional<Minimized> minimize_corpus(const std::filesystem::path& program,
                                         const std::filesystem::path& seeds,
                                         const std::filesystem::path& work,
                                         const std::filesystem::path& scratch,
                                         const std::filesystem::path& log);

// How many inputs the work corpus of a target holds.
std::size_t work_corpus_size(const MergeOptions& options, const OpInfo& op, Profile profile);

}  // namespace prelaunch::fuzz
