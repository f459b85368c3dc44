// Runs a target once more on an input that ended it: an engine that keeps no report learns why so.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "fuzz/campaign/engine.h"
#include "fuzz/campaign/process.h"

namespace prelaunch::fuzz {

// Of an input that takes too long, as it is called where the engine itself says so.
LogFinding timeout_finding();

class Rerun {
 public:
  Rerun() = default;
  ~Rerun() { process_.kill_group(); }
  Rerun(const Rerun&) = delete;
  Rerun& operator=(const Rerun&) = delete;

  // `log` is replaced. Throws FileError.
  void start(const std::filesystem::path& program, const std::filesystem::path& input,
             const std::filesystem::path& log);
  bool running() const { return process_.running(); }
  // What came of it, once it has ended; an input that takes longer than any may is ended.
  std::optional<EndingInput> poll();
  // Ends it; the input.
  std::filesystem::path give_up();

 private:
  std::filesystem::path input_, log_;
  Process process_;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace prelaunch::fuzz
