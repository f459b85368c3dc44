#include "fuzz/campaign/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace {

// After fork: only what is safe there. The arguments were made before.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment,
                         int log, const char* folder, Addresses addresses) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  if (addresses == Addresses::kFixed) personality(ADDR_NO_RANDOMIZE);
  if (*folder == '\0' || chdir(folder) == 0) execve(program, arguments, environment);
  _exit(127);
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& text : strings) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> with_environment(
    const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    bool changed = false;
    for (const auto& [name, value] : changes) changed |= text.starts_with(name + "=");
    if (!changed) out.emplace_back(text);
  }
  for (const auto& [name, value] : changes) out.push_back(name + "=" + value);
  return out;
}

}  // namespace

void Process::start(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                    const std::vector<std::pair<std::string, std::string>>& environment,
                    const std::filesystem::path& log, const std::filesystem::path& folder,
                    Addresses addresses) {
  const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0)
    throw FileError(fmt::format("{}: cannot write: {}", log.string(), std::strerror(errno)));
  std::vector<std::string> argument_texts = {program.string()};
  argument_texts.insert(argument_texts.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment_texts = with_environment(environment);
  const std::vector<char*> argument_pointers = pointers(argument_texts);
  const std::vector<char*> environment_pointers = pointers(environment_texts);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    become(program.c_str(), argument_pointers.data(), environment_pointers.data(), file,
           folder.c_str(), addresses);
  }
  close(file);
  if (child < 0) throw FileError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  setpgid(child, child);  // in both, so that neither can be late
  pid_ = child;
}

std::optional<int> Process::poll() {
  int status = 0;
  if (pid_ <= 0 || waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  pid_ = -1;
  return status;
}

void Process::signal(int number) const {
  if (pid_ > 0) kill(pid_, number);
}

void Process::kill_group() {
  if (pid_ <= 0) return;
  kill(-pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace prelaunch::fuzz
