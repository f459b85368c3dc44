// What a campaign shows while it works: one line per target, redrawn on a terminal, repeated every
// ten seconds elsewhere.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace prelaunch::fuzz {

struct ProgressLine {
  std::string target;
  std::uint64_t executions = 0, features = 0, findings = 0;
  double seconds = 0;
  std::chrono::seconds left{0};
};

class Progress {
 public:
  Progress();
  // Call often; it prints when it is time to.
  void show(const std::vector<ProgressLine>& lines);
  // The last state, whatever the time.
  void finish(const std::vector<ProgressLine>& lines);

 private:
  void print(const std::vector<ProgressLine>& lines);

  bool terminal_;
  std::size_t drawn_ = 0;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace prelaunch::fuzz
