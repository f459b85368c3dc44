// The workers of a campaign: gives them their time, looks after them, adds up what they counted.
#pragma once

#include <map>
#include <memory>

#include "fuzz/campaign/folders.h"
#include "fuzz/campaign/progress.h"
#include "fuzz/campaign/schedule.h"
#include "fuzz/campaign/worker.h"

namespace prelaunch::fuzz {

class Team {
 public:
  // Shares `time` among the targets whose program is there. What is counted and found goes to
  // `targets`, reasons not to trust it to `untrusted`. All are borrowed.
  Team(const CampaignOptions& options, const Folders& folders, std::vector<TargetResult>& targets,
       std::vector<std::string>& untrusted, std::chrono::seconds time);

  // Starts workers and looks after them; false when all is done. An interrupt stops them. Throws
  // FileError.
  bool step();
  // Brings the targets up to date.
  void add_up();
  // At the end: a target that was given up, and whose findings the ledger knows, was hardly looked
  // at.
  void distrust_given_up();
  std::vector<ProgressLine> lines();

 private:
  struct Member {
    std::unique_ptr<Worker> worker;
    Slice slice;
    std::size_t inputs_before;
  };
  // Of a target's workers that have ended.
  struct Past {
    Stats stats;
    double seconds = 0;
    std::uint64_t corpus = 0, features = 0;
    unsigned workers = 0;  // started
    bool given_up = false;
  };

  TargetResult& target_of(const Slice& slice) { return targets_[present_[slice.target]]; }
  Past& past_of(const Slice& slice) { return past_[present_[slice.target]]; }
  bool start_next();
  void retire(const Member& member);
  void stop_all();
  std::chrono::seconds left(std::size_t target) const;
  std::size_t inputs(const TargetResult& target) const;

  const CampaignOptions& options_;
  const Folders& folders_;
  std::vector<TargetResult>& targets_;
  std::vector<std::string>& untrusted_;
  std::vector<std::size_t> present_;  // targets whose program is there
  Schedule schedule_;
  Clock::time_point deadline_;
  std::vector<Past> past_;
  std::vector<Member> members_;
  std::size_t started_ = 0;
  bool stopped_ = false;
};

}  // namespace prelaunch::fuzz
