#include "fuzz/campaign/command.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/log.h"
#include "fuzz/campaign/process.h"
#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace {

const std::vector<std::string> kPath = {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
                                        "/usr/bin",        "/sbin",          "/bin"};
constexpr std::size_t kMostOutput = 16 << 20;

std::vector<std::string> arguments_of(const Command& command) {
  std::vector<std::string> out = {"--kill-after=10",
                                  std::to_string(command.limit.count()),
                                  "/usr/bin/env",
                                  "-i",
                                  "-C",
                                  command.folder.string(),
                                  fmt::format("PATH={}", fmt::join(kPath, ":"))};
  for (const auto& [name, value] : command.environment) out.push_back(name + "=" + value);
  out.insert(out.end(), command.words.begin(), command.words.end());
  return out;
}

// timeout passes the signal on to everything that it started.
int wait_for(Process& process) {
  for (bool told = false;;) {
    if (const auto status = process.poll()) {
      if (told) throw Interrupted();
      return WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
    }
    if (interrupted() && !told) {
      process.signal(SIGTERM);
      told = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
}

}  // namespace

std::vector<std::string> missing_programs(const std::vector<std::string>& programs) {
  std::vector<std::string> missing;
  for (const std::string& program : programs) {
    const bool found = std::any_of(kPath.begin(), kPath.end(), [&program](const auto& folder) {
      return access((folder + "/" + program).c_str(), X_OK) == 0;
    });
    if (!found) missing.push_back(program);
  }
  return missing;
}

Ended run(const Command& command, const std::filesystem::path& log) {
  write_file(log, "");
  Process process;
  process.start("/usr/bin/timeout", arguments_of(command), {}, log);
  const int code = wait_for(process);
  return {code, read_tail(log, kMostOutput)};
}

}  // namespace prelaunch::fuzz
