#include "fuzz/sabotage/run_night.h"

#include <sys/wait.h>

#include <csignal>
#include <sstream>

#include "fuzz/campaign/log.h"
#include "kernels/common/escape.h"

namespace prelaunch::fuzz {

Night::Night(const Sandbox& sandbox, std::chrono::seconds budget) {
  std::vector<std::string> words = sandbox.command(budget);
  const std::string program = words.front();
  words.erase(words.begin());
  process_.start(program, words, sandbox.environment(), sandbox.log());
  pid_ = process_.pid();
}

Night::~Night() {
  for (const int pid : descendants(pid_)) kill(pid, SIGKILL);
  process_.kill_group();
}

std::optional<int> Night::poll() {
  const auto status = process_.poll();
  if (!status) return std::nullopt;
  return WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
}

std::string line_with(const Sandbox& sandbox, std::string_view part) {
  std::istringstream lines(read_tail(sandbox.log(), 1 << 20));
  for (std::string line; std::getline(lines, line);) {
    if (line.find(part) != line.npos) return visible(line);
  }
  return {};
}

}  // namespace prelaunch::fuzz
