#include "fuzz/campaign/context.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

namespace prelaunch::fuzz {
namespace {

// What a command prints on standard output, without a shell; nothing when it fails.
std::optional<std::string> output_of(std::vector<std::string> command) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(STDERR_FILENO);  // outside a checkout there is no commit; that is no error
    close(ends[0]);
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  std::string out;
  char chunk[4096];
  for (ssize_t n; child > 0 && (n = read(ends[0], chunk, sizeof chunk)) > 0;) {
    out.append(chunk, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 1;
  if (child > 0) waitpid(child, &status, 0);
  if (status != 0) return std::nullopt;
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    if (colon != line.npos) return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace

Context read_context(const std::filesystem::path& root, std::uint64_t seed) {
  const auto commit = output_of({"git", "-C", root.string(), "rev-parse", "HEAD"});
  const auto changes =
      output_of({"git", "-C", root.string(), "status", "--porcelain", "--untracked-files=no"});
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return {.commit = commit.value_or("unknown"),
          .dirty = changes.has_value() && !changes->empty(),
          .machine = host_name(),
          .cpu = cpu_model(),
          .cores = std::thread::hardware_concurrency(),
          .compiler = PRELAUNCH_COMPILER,
          .flags = PRELAUNCH_FLAGS,
          .sanitizers = PRELAUNCH_SANITIZER_NAMES,
          .seed = seed,
          .started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                                 fmt::gmtime(std::chrono::system_clock::to_time_t(now)))};
}

}  // namespace prelaunch::fuzz
