// One fuzzer process of a campaign, started again after each finding while its time lasts.
#pragma once

#include <chrono>
#include <optional>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/log.h"
#include "fuzz/campaign/process.h"

namespace prelaunch::fuzz {

using Clock = std::chrono::steady_clock;

// Where a target's files are.
struct TargetPaths {
  std::filesystem::path program;
  std::filesystem::path work_corpus;         // found inputs go there
  std::vector<std::filesystem::path> seeds;  // folders that it only reads
  std::filesystem::path log, stats, artifacts;
};

class Worker {
 public:
  // Maps the counters' file. Throws FileError.
  Worker(const OpInfo& op, Profile profile, TargetPaths paths, std::chrono::seconds share,
         std::uint64_t seed);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  enum class State : std::uint8_t { kWaiting, kRunning, kDone };
  State state() const { return state_; }

  void start();
  // Looks after the process: notes why it ended, starts it again. Findings are added to `found`,
  // reasons not to trust the run to `untrusted`.
  void look(std::vector<Finding>& found, std::vector<std::string>& untrusted);
  // Asks it to end; look() sees it do so.
  void stop();

  const OpInfo& op() const { return op_; }
  Profile profile() const { return profile_; }
  const Stats& stats() const { return *stats_; }
  LogProgress progress() const { return read_progress(read_tail(log(), 1 << 16)); }
  double used_seconds() const;
  std::chrono::seconds left() const;

 private:
  std::vector<std::string> arguments() const;
  void launch();
  // Of the present process: each start has its own, so that a report is never taken for another's.
  std::filesystem::path log() const;
  void ended(int status, std::vector<Finding>& found, std::vector<std::string>& untrusted);

  const OpInfo& op_;
  Profile profile_;
  TargetPaths paths_;
  std::chrono::seconds share_;
  std::uint64_t seed_;
  Stats* stats_ = nullptr;
  Process process_;
  State state_ = State::kWaiting;
  Clock::time_point started_, ended_;
  int restarts_ = 0;
  bool stopping_ = false;
};

}  // namespace prelaunch::fuzz
