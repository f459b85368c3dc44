#include "fuzz/campaign/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fuzz/campaign/campaign_read.h"
#include "fuzz/campaign/finding.h"
#include "fuzz/campaign/fuzzer.h"
#include "fuzz/campaign/gather.h"
#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/join.h"
#include "fuzz/campaign/unite.h"
#include "fuzz/files.h"
#include "kernels/common/escape.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMergeLogTail = std::size_t{1} << 20;

// Goes when the merge ends, however it does.
class PartsFolder {
 public:
  explicit PartsFolder(fs::path path) : path_(std::move(path)) {
    remove();  // that of a merge that was killed
    make_folder(path_);
  }
  ~PartsFolder() { remove(); }
  PartsFolder(const PartsFolder&) = delete;
  PartsFolder& operator=(const PartsFolder&) = delete;

 private:
  void remove() const {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path path_;
};

// "a/b/" is called b.
fs::path without_slash(const fs::path& path) {
  const fs::path normal = fs::absolute(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

MergedFolder open_folder(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    throw FileError(
        fmt::format("--merge: expected the folder of a campaign, got {}", path.string()));
  }
  MergedFolder out;
  out.path = path;
  out.name = visible(without_slash(path).filename().string());
  const fs::path file = path / "campaign.json";
  out.told = fs::exists(file, error) || error;
  if (out.told) out.result = read_campaign(file);
  return out;
}

// A folder may be given by several paths.
void refuse_same_folder(const std::vector<fs::path>& folders) {
  std::set<fs::path> seen;
  for (const fs::path& folder : folders) {
    std::error_code error;
    if (seen.insert(fs::canonical(folder, error)).second) continue;
    throw FileError(
        fmt::format("--merge: expected each folder once, got {} twice", folder.string()));
  }
}

void tell_apart(std::vector<MergedFolder>& folders) {
  std::multiset<std::string> names;
  for (const MergedFolder& folder : folders) names.insert(folder.name);
  for (MergedFolder& folder : folders) {
    const bool unique = names.count(folder.name) == 1;
    if (!unique) folder.name = visible(without_slash(folder.path).string());
  }
}

std::vector<MergedFolder> open_folders(const std::vector<fs::path>& paths) {
  std::vector<MergedFolder> out;
  for (const fs::path& path : paths) out.push_back(open_folder(path));
  refuse_same_folder(paths);
  refuse_same_shard(out);
  tell_apart(out);
  return out;
}

void open_out(const MergeOptions& options) {
  for (const fs::path& folder : options.folders) {
    std::error_code ignored;
    if (!fs::equivalent(folder, options.out, ignored)) continue;
    throw FileError(
        fmt::format("--out: expected a folder that is not merged, got {}", options.out.string()));
  }
  for (const char* part : {"findings", "logs"}) make_folder(options.out / part);
  lock_folder(options.out);
}

TargetResult& target_of(CampaignResult& result, const OpInfo& op, Profile profile) {
  for (TargetResult& target : result.targets) {
    if (target.op == &op && target.profile == profile) return target;
  }
  TargetResult& added = result.targets.emplace_back();
  added.op = &op;
  added.profile = profile;
  return added;
}

void print_joined(const JoinedCorpus& joined) {
  fmt::print("{}: had {} inputs, gained {} of {}", target_name(*joined.op, joined.profile),
             joined.had, joined.gained.size(), joined.offered);
  if (joined.ignored > 0) {
    fmt::print(", ignored {} that are no readable files of at most {} bytes", joined.ignored,
               kMaxInputBytes);
  }
  fmt::print("\n");
}

// An input that ended its target while it was joined is a finding too: of this build.
void add_joined(const MergeOptions& options, const JoinedCorpus& joined, CampaignResult& result) {
  TargetResult& target = target_of(result, *joined.op, joined.profile);
  const std::string log =
      read_tail(join_log(options.out, *joined.op, joined.profile), kMergeLogTail);
  for (const fs::path& input : joined.ended) {
    add_finding(gather_input(*joined.op, joined.profile, input, log, options.out), target.findings);
  }
  keep_gained(options, joined);
  print_joined(joined);
}

CampaignResult write_merged(const MergeOptions& options, std::vector<MergedFolder>& folders,
                            const std::vector<JoinedCorpus>& joined,
                            const std::vector<std::string>& doubts) {
  std::set<std::string> taken;
  for (MergedFolder& folder : folders) gather_findings(folder, options.out, taken);
  CampaignResult result = unite(folders);
  const bool told = std::any_of(folders.begin(), folders.end(),
                                [](const MergedFolder& folder) { return folder.told; });
  if (!told) result.provenance = read_provenance(options.root);
  result.untrusted.insert(result.untrusted.end(), doubts.begin(), doubts.end());
  for (const JoinedCorpus& corpus : joined) add_joined(options, corpus, result);
  for (TargetResult& target : result.targets) {
    target.corpus = work_corpus_size(options, *target.op, target.profile);
  }
  write_file(options.out / "campaign.json", campaign_json(result));
  return result;
}

}  // namespace

CampaignResult merge_campaigns(const MergeOptions& options) {
  catch_interrupts();
  std::vector<MergedFolder> folders = open_folders(options.folders);
  open_out(options);
  const PartsFolder parts(options.out / ".parts");
  std::vector<std::string> doubts;
  const std::vector<JoinedCorpus> joined = join_corpora(options, doubts);
  if (!interrupted()) return write_merged(options, folders, joined, doubts);
  CampaignResult none;
  none.interrupted = true;
  return none;
}

}  // namespace prelaunch::fuzz
