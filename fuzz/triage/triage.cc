#include "fuzz/triage/triage.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "fuzz/campaign/campaign_read.h"
#include "fuzz/campaign/finding.h"
#include "fuzz/campaign/replay.h"
#include "fuzz/files.h"
#include "fuzz/json.h"
#include "fuzz/triage/cpp_test.h"
#include "kernels/common/escape.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

class Collector {
 public:
  Collector(const fs::path& folder, const fs::path& root, std::vector<std::string>& unreadable)
      : folder_(folder), root_(root), unreadable_(unreadable) {}

  std::vector<Case> collect() {
    std::error_code ignored;
    const bool told = fs::exists(folder_ / "campaign.json", ignored);
    const bool any = fs::is_directory(folder_ / "findings", ignored);
    if (!told && !any) {
      throw FileError(
          fmt::format("{}: expected campaign.json or findings/ there", folder_.string()));
    }
    if (told) add_listed(read_campaign(folder_ / "campaign.json"));
    if (any) add_unlisted();
    return std::move(cases_);
  }

 private:
  void add_listed(const CampaignResult& result) {
    for (const TargetResult& target : result.targets) {
      for (const Finding& finding : target.findings) {
        const fs::path& base = finding.call.starts_with("corpus/") ? root_ : folder_;
        add(finding, base / finding.call);
      }
    }
  }
  // What is known of them stands in the call.
  void add_unlisted() {
    std::error_code error;
    std::set<fs::path> paths;  // in order
    for (fs::directory_iterator it(folder_ / "findings", error), end; !error && it != end;
         it.increment(error)) {
      if (it->path().extension() == ".json") paths.insert(it->path());
    }
    if (error) unreadable_.push_back("findings: cannot list: " + error.message());
    for (const fs::path& path : paths) add_unlisted(path);
  }
  void add_unlisted(const fs::path& path) {
    const std::string id = path.stem().string();
    std::error_code error;
    if (!is_finding_id(id) || !fs::is_regular_file(path, error)) {
      unreadable_.push_back(visible(path.string()) +
                            ": expected a file whose name has letters, digits, '_' and '-'");
      return;
    }
    add({.id = id, .reason = "", .rule = "", .detail = "", .call = "", .replay = ""}, path);
  }
  void add(Finding finding, const fs::path& path) {
    if (!seen_.insert(finding.id).second) return;
    try {
      const StoredCall stored = load_call(path);
      if (finding.reason.empty()) {
        Told told = told_by(stored.named.why);
        finding.reason = std::move(told.reason);
        finding.detail = std::move(told.detail);
      }
      cases_.push_back({stored.op, std::move(finding), {stored.named.call, stored.named.expect}});
    } catch (const FileError& error) {
      unreadable_.push_back(visible(error.what()));
    }
  }

  const fs::path &folder_, &root_;
  std::vector<std::string>& unreadable_;
  std::set<std::string> seen_;
  std::vector<Case> cases_;
};

void clear(const fs::path& folder) {
  std::error_code ignored;
  fs::remove(folder / "triage.json", ignored);
  fs::remove_all(folder / "triage", ignored);
  make_folder(folder / "triage");
}

void write_bucket(const fs::path& folder, const Bucket& bucket) {
  const std::string description = describe_bucket(bucket);
  const NamedCall named{bucket.id, description, bucket.smallest.call, bucket.smallest.expect};
  write_file(folder / "triage" / (bucket.id + ".json"), format_call(*bucket.op, named));
  write_file(folder / "triage" / (bucket.id + ".cc"),
             cpp_test(*bucket.op, bucket.smallest, bucket.id, description));
}

Json bucket_json(const fs::path& folder, const Bucket& bucket) {
  const std::size_t rule = bucket.seen.rule;
  return {{"id", bucket.id},
          {"op", std::string(bucket.op->name)},
          {"reason", bucket.seen.reason},
          {"rule", rule == kNoRule ? Json(nullptr) : Json(numbered_id(*bucket.op, rule))},
          {"frames", bucket.seen.frames},
          {"description", describe_bucket(bucket)},
          {"call", fmt::format("triage/{}.json", bucket.id)},
          {"test", fmt::format("triage/{}.cc", bucket.id)},
          {"replay", replay_command(folder, bucket)},
          {"reproduced", bucket.reproduced},
          {"findings", bucket.findings},
          {"also", bucket.also}};
}

std::string triage_json(const fs::path& folder, const Triage& triage) {
  Json out = {{"schema", "prelaunch.triage/1"}, {"seconds", triage.seconds}};
  out["buckets"] = Json::array();
  for (const Bucket& bucket : triage.buckets) out["buckets"].push_back(bucket_json(folder, bucket));
  out["unreadable"] = triage.unreadable;
  return out.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace

int Triage::exit_code() const { return !unreadable.empty() ? 3 : !buckets.empty() ? 1 : 0; }

Triage triage(const fs::path& folder, const fs::path& root) {
  const Clock::time_point begun = Clock::now();
  Triage out;
  const std::vector<Case> cases = Collector(folder, root, out.unreadable).collect();
  out.buckets =
      sort_into_buckets(cases, [](const char* what, std::size_t index, std::size_t count) {
        std::fprintf(stderr, "prelaunch triage: %s %zu of %zu\n", what, index + 1, count);
      });
  clear(folder);
  for (const Bucket& bucket : out.buckets) write_bucket(folder, bucket);
  out.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  write_file(folder / "triage.json", triage_json(folder, out));
  return out;
}

std::string replay_command(const fs::path& folder, const Bucket& bucket) {
  const fs::path call = fs::absolute(folder / "triage" / (bucket.id + ".json")).lexically_normal();
  return "./prelaunch replay " + shell_word(call.string());
}

}  // namespace prelaunch::fuzz
