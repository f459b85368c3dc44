// Why a campaign may mean nothing: what its programs, its targets' counts, the disks and the clock
// say. Each doubt is a sentence that names what is wrong.
#pragma once

#include <string>
#include <vector>

#include "fuzz/campaign/folders.h"
#include "fuzz/campaign/trust.h"

namespace prelaunch::fuzz {

class Doubts {
 public:
  // All are borrowed; the clocks are read now. Doubts are added to `untrusted`.
  Doubts(const CampaignOptions& options, const Folders& folders,
         std::vector<std::string>& untrusted)
      : options_(options), folders_(folders), untrusted_(untrusted) {}

  // Before it fuzzes: the campaign's own witness, programs older than their sources, and targets
  // that fail their self-test.
  void about_programs(const std::vector<TargetResult>& targets);
  // After it: targets that did nothing, or the same again and again.
  void about_targets(const std::vector<TargetResult>& targets);
  void about_clocks();
  // Says the same of a disk once, however often it is asked.
  void about_disks();

 private:
  void about_counts(const TargetResult& target);
  bool is_there(const TargetResult& target) const;
  void add(std::string doubt) { untrusted_.push_back(std::move(doubt)); }

  const CampaignOptions& options_;
  const Folders& folders_;
  std::vector<std::string>& untrusted_;
  const Clocks clocks_;
};

}  // namespace prelaunch::fuzz
