// One fuzzer process of a campaign, started again after each finding while its time lasts.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/engine.h"
#include "fuzz/campaign/process.h"

namespace prelaunch::fuzz {

using Clock = std::chrono::steady_clock;

class Worker {
 public:
  // Maps the counters' file. Throws FileError.
  Worker(const OpInfo& op, Profile profile, EngineKind engine, TargetPaths paths,
         std::chrono::seconds share, std::uint64_t seed);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  enum class State : std::uint8_t { kWaiting, kRunning, kDone };
  State state() const { return state_; }

  void start();
  // Looks after the process: notes why inputs ended it, starts it again, ends it when its time is
  // over. Findings are added to `found`, reasons not to trust the run to `untrusted`.
  void look(std::vector<Finding>& found, std::vector<std::string>& untrusted);
  // Asks it to end; look() sees it do so.
  void stop();

  const OpInfo& op() const { return op_; }
  Profile profile() const { return profile_; }
  const Stats& stats() const { return *stats_; }
  LogProgress progress() const { return engine_->progress(); }
  bool is_instrumented() const { return engine_->is_instrumented(); }
  // Whether it has ended too often to be started again.
  bool is_given_up() const { return std::max(endings_, restarts_) > kMaxRestarts; }
  double used_seconds() const;
  std::chrono::seconds left() const;

 private:
  std::string name() const;
  void launch();
  // Of the present process: each start has its own, so that a report is never taken for another's.
  std::filesystem::path log() const;
  void keep(const EndingInput& ending, std::vector<Finding>& found,
            std::vector<std::string>& untrusted);
  void watch_time(std::vector<Finding>& found, std::vector<std::string>& untrusted);
  void ended(std::vector<std::string>& untrusted);
  void finish();

  const OpInfo& op_;
  Profile profile_;
  TargetPaths paths_;
  std::chrono::seconds share_;
  std::uint64_t seed_;
  Stats* stats_ = nullptr;
  std::unique_ptr<Engine> engine_;
  Process process_;
  int status_ = 0;  // of the last process
  State state_ = State::kWaiting;
  Clock::time_point started_, deadline_, ended_;
  int restarts_ = 0;
  int endings_ = 0, endings_before_ = 0;  // inputs that ended the target; those before this start
  int unexplained_ = 0;                   // of them, those that ended it only once
  bool stopping_ = false;
};

}  // namespace prelaunch::fuzz
