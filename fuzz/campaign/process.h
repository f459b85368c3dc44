// One child process at a time per object: a fuzzer under the campaign's eyes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace prelaunch::fuzz {

// Where a process's memory lies: libFuzzer counts the depth of the stack as a feature, and with
// sanitizers that depends on where the stack begins.
enum class Addresses : std::uint8_t { kRandom, kFixed };

class Process {
 public:
  // Starts `program` with its output appended to `log`, in `folder` where one is given. It leads a
  // process group of its own, so that a Ctrl-C reaches the campaign alone, and dies with the
  // campaign. Fixed addresses are a wish that a sandbox may refuse. Throws FileError.
  void start(const std::filesystem::path& program, const std::vector<std::string>& arguments,
             const std::vector<std::pair<std::string, std::string>>& environment,
             const std::filesystem::path& log, const std::filesystem::path& folder = {},
             Addresses addresses = Addresses::kRandom);

  bool running() const { return pid_ > 0; }
  // While it runs.
  pid_t pid() const { return pid_; }
  // The wait status, once it has ended; does not block.
  std::optional<int> poll();
  void signal(int number) const;
  // Kills it and the processes that it started, and waits for it.
  void kill_group();

 private:
  pid_t pid_ = -1;
};

}  // namespace prelaunch::fuzz
