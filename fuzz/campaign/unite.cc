#include "fuzz/campaign/unite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "fuzz/campaign/finding.h"
#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace {

using Folders = std::vector<MergedFolder>;

constexpr std::size_t kMostListed = 4;

// "a, b, c, d and 3 more"
std::string listed(const std::vector<std::string>& texts) {
  const std::size_t shown = std::min(texts.size(), kMostListed);
  const auto end = texts.begin() + static_cast<std::ptrdiff_t>(shown);
  const std::string out = fmt::format("{}", fmt::join(texts.begin(), end, ", "));
  return shown == texts.size() ? out : fmt::format("{} and {} more", out, texts.size() - shown);
}

// What the folders' files say about one thing, each answer once, in the order of the folders.
template <class Get>
std::vector<std::string> answers(const Folders& folders, const Get& get) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const MergedFolder& folder : folders) {
    if (!folder.told) continue;
    std::string answer = fmt::format("{}", get(folder.result));
    if (seen.insert(answer).second) out.push_back(std::move(answer));
  }
  return out;
}

template <class Get>
void distrust_different(const Folders& folders, std::string_view what, const Get& get,
                        std::vector<std::string>& untrusted) {
  const std::vector<std::string> all = answers(folders, get);
  if (all.size() < 2) return;
  untrusted.push_back(fmt::format("the campaigns are of different {}: {}", what, listed(all)));
}

// The shards that are there, by their count.
std::map<unsigned, std::set<unsigned>> shards_of(const Folders& folders) {
  std::map<unsigned, std::set<unsigned>> out;
  for (const MergedFolder& folder : folders) {
    if (folder.result.shard) out[folder.result.shard->count].insert(folder.result.shard->index);
  }
  return out;
}

void distrust_missing(unsigned count, const std::set<unsigned>& there,
                      std::vector<std::string>& untrusted) {
  std::vector<std::string> missing;
  for (unsigned index = 0; index < count; ++index) {
    if (!there.contains(index)) missing.push_back(to_string(Shard{index, count}));
  }
  if (missing.empty()) return;
  untrusted.push_back(missing.size() == 1 ? fmt::format("shard {} is missing", missing[0])
                                          : fmt::format("shards {} are missing", listed(missing)));
}

// All targets of a campaign have one.
std::string_view engine_of(const CampaignResult& result) {
  return result.targets.empty() ? "" : to_string(result.targets[0].engine);
}

void distrust_mixture(const Folders& folders, std::vector<std::string>& untrusted) {
  distrust_different(
      folders, "commits", [](const CampaignResult& r) { return r.provenance.commit; }, untrusted);
  distrust_different(folders, "seeds", [](const CampaignResult& r) { return r.seed; }, untrusted);
  distrust_different(folders, "engines", engine_of, untrusted);
  const auto shards = shards_of(folders);
  if (shards.size() > 1) {
    untrusted.push_back(fmt::format("the shards are of different campaigns: of {} and of {} shards",
                                    shards.begin()->first, shards.rbegin()->first));
  }
  for (const auto& [count, there] : shards) distrust_missing(count, there, untrusted);
}

// One text where the folders agree, a list where they do not.
template <class Get>
std::string common_text(const Folders& folders, const Get& get) {
  return listed(answers(folders, [&get](const CampaignResult& r) { return get(r.provenance); }));
}

void unite_context(const Folders& folders, CampaignResult& out) {
  const auto first = std::find_if(folders.begin(), folders.end(),
                                  [](const MergedFolder& folder) { return folder.told; });
  if (first == folders.end()) return;
  Provenance& provenance = out.provenance = first->result.provenance;
  out.seed = first->result.seed;
  provenance.machine = common_text(folders, [](const Provenance& p) { return p.machine; });
  provenance.cpu = common_text(folders, [](const Provenance& p) { return p.cpu; });
  provenance.compiler = common_text(folders, [](const Provenance& p) { return p.compiler; });
  provenance.flags = common_text(folders, [](const Provenance& p) { return p.flags; });
  provenance.sanitizers = common_text(folders, [](const Provenance& p) { return p.sanitizers; });
  for (const MergedFolder& folder : folders) {
    if (!folder.told) continue;
    const Provenance& each = folder.result.provenance;
    provenance.dirty |= each.dirty;
    provenance.cores = std::max(provenance.cores, each.cores);
    provenance.started = std::min(provenance.started, each.started);
    // They ran side by side; what they did together is in the targets' seconds.
    out.seconds = std::max(out.seconds, folder.result.seconds);
  }
}

void add_target(const TargetResult& part, TargetResult& sum) {
  sum.stats += part.stats;
  sum.seconds += part.seconds;
  sum.features = std::max(sum.features, part.features);
  for (const Finding& finding : part.findings) add_finding(finding, sum.findings);
}

// Each known finding once, with what all saw of it.
void unite_known(const Folders& folders, CampaignResult& out) {
  for (const MergedFolder& folder : folders) {
    for (const KnownState& known : folder.result.known) {
      const auto same =
          std::find_if(out.known.begin(), out.known.end(),
                       [&known](const KnownState& other) { return other.bucket == known.bucket; });
      if (same == out.known.end())
        out.known.push_back(known);
      else
        same->seen += known.seen;
    }
  }
}

// The target's sum over the folders; nothing when none has it.
std::optional<TargetResult> sum_of(const Folders& folders, const OpInfo& op, Profile profile) {
  std::optional<TargetResult> sum;
  for (const MergedFolder& folder : folders) {
    for (const TargetResult& part : folder.result.targets) {
      if (part.op != &op || part.profile != profile) continue;
      if (!sum) sum = TargetResult{.op = &op, .profile = profile, .stats = {}, .findings = {}};
      sum->engine = part.engine;
      add_target(part, *sum);
    }
  }
  return sum;
}

}  // namespace

void refuse_same_shard(const Folders& folders) {
  std::map<std::string, std::string> seen;
  for (const MergedFolder& folder : folders) {
    if (!folder.result.shard) continue;
    const std::string shard = to_string(*folder.result.shard);
    const auto [other, added] = seen.emplace(shard, folder.path.string());
    if (added) continue;
    throw FileError(fmt::format("--merge: expected each shard once, got shard {} in {} and in {}",
                                shard, other->second, folder.path.string()));
  }
}

CampaignResult unite(const Folders& folders) {
  CampaignResult out;
  unite_context(folders, out);
  for (const MergedFolder& folder : folders) {
    out.merged.push_back(folder.name);
    for (const std::string& reason : folder.result.untrusted) {
      out.untrusted.push_back(fmt::format("{}: {}", folder.name, reason));
    }
    if (!folder.told) out.untrusted.push_back(folder.name + ": campaign.json is missing");
  }
  distrust_mixture(folders, out.untrusted);
  unite_known(folders, out);
  for (const OpInfo* op : all_ops()) {
    for (const Profile profile : {Profile::kValidate, Profile::kExecute}) {
      if (auto sum = sum_of(folders, *op, profile)) out.targets.push_back(std::move(*sum));
    }
  }
  return out;
}

}  // namespace prelaunch::fuzz
