// Where a campaign's files lie.
#pragma once

#include <filesystem>
#include <string>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/engine.h"

namespace prelaunch::fuzz {

class Folders {
 public:
  // Borrows the options.
  explicit Folders(const CampaignOptions& options) : options_(options) {}

  std::filesystem::path program(const TargetResult& target) const;
  // Where found inputs go. A shard's stay in its own folder: its checkout may be another machine's.
  std::filesystem::path work_corpus(const TargetResult& target) const;
  // Where a fuzzer leaves what ends it: in the checkout, where the next campaign finds it, or in a
  // shard's folder.
  std::filesystem::path findings() const;
  // The packed stored calls of a target, and their dictionary.
  std::filesystem::path seeds(const TargetResult& target) const;
  std::filesystem::path words(const TargetResult& target) const;
  // What a target must not run; see fuzz/quarantine.h.
  std::filesystem::path quarantine(const TargetResult& target) const;
  // Those of one of a target's workers.
  TargetPaths paths(const TargetResult& target, unsigned worker) const;

  // Creates those that are written to. Throws FileError.
  void make(const std::vector<TargetResult>& targets) const;

 private:
  std::filesystem::path checkout_corpus(const TargetResult& target) const;
  std::filesystem::path part(const std::string& name) const {
    return options_.out / ".parts" / name;
  }

  const CampaignOptions& options_;
};

}  // namespace prelaunch::fuzz
