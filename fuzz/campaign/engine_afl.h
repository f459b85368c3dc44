// AFL++: afl-fuzz drives the target and goes on when an input ends it. What it finds lies in its
// own folder, <work corpora>/.afl/<op>_<profile>/<worker>, until it is handed over: on the way, at
// the end, and for a campaign that was killed, at the start of the next.
#pragma once

#include <chrono>
#include <deque>
#include <set>

#include "fuzz/campaign/engine.h"
#include "fuzz/campaign/rerun.h"

namespace prelaunch::fuzz {

// The program, as PATH finds it; empty where there is none.
std::filesystem::path afl_fuzz();

// Where afl-fuzz works, for the targets of these work corpora: one campaign at a time.
std::filesystem::path afl_folder(const std::filesystem::path& work_corpora);

class AflEngine final : public Engine {
 public:
  // The first worker's picks up what an earlier campaign left. Throws FileError.
  explicit AflEngine(TargetPaths paths);
  // To be called after the fuzzer's end.
  ~AflEngine() override;

  Launch launch(const Start& start) override;
  LogProgress progress() const override;
  std::vector<EndingInput> endings(FuzzerState fuzzer) override;
  // afl-fuzz refuses a target that is not.
  bool is_instrumented() const override { return true; }
  bool is_waiting() const override { return rerun_.running() || !waiting_.empty(); }
  std::vector<EndingInput> give_up() override;

 private:
  std::filesystem::path target_folder() const;
  std::filesystem::path own_folder() const;
  std::filesystem::path seeds_folder() const;
  std::vector<std::string> arguments(const Start& start) const;
  void copy_seeds() const;

  void pick_up();
  void hand_over(const std::filesystem::path& folder, FuzzerState fuzzer);
  void take_found(const std::filesystem::path& queue, FuzzerState fuzzer);
  void take_ending(const std::filesystem::path& folder, std::string_view kind, FuzzerState fuzzer);
  void take_ending_seeds();
  void wait_for(std::string_view kind, const std::string& content);

  TargetPaths paths_;
  std::filesystem::path log_;
  std::uint64_t log_read_ = 0;                 // bytes of it that need not be looked at again
  std::set<std::string> taken_;                // files of the queue
  std::set<std::string> ending_;               // content of what ended the target, by name
  std::deque<std::filesystem::path> waiting_;  // to be run again
  Rerun rerun_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace prelaunch::fuzz
