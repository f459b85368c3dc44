#include "kernels/common/provenance.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

namespace prelaunch {
namespace fs = std::filesystem;
namespace {

// What a command prints on standard output, without a shell; nothing when it fails.
std::optional<std::string> output_of(std::vector<std::string> command) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(STDERR_FILENO);  // outside a checkout there is no commit; that is no error
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

std::optional<std::string> git(const fs::path& root, std::vector<std::string> arguments) {
  std::vector<std::string> command = {"git", "-C", root.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return output_of(std::move(command));
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "unknown";
}

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string head(const fs::path& root) {
  return git(root, {"rev-parse", "--verify", "HEAD"}).value_or("unknown");
}

bool is_word(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

Provenance read_provenance(const fs::path& root) {
  const auto changes = git(root, {"status", "--porcelain", "--untracked-files=no"});
  return {.commit = head(root),
          .dirty = changes.has_value() && !changes->empty(),
          .machine = host_name(),
          .cpu = cpu_model(),
          .cores = std::thread::hardware_concurrency(),
          .compiler = PRELAUNCH_COMPILER,
          .flags = PRELAUNCH_FLAGS,
          .build_type = PRELAUNCH_BUILD_TYPE,
          .sanitizers = PRELAUNCH_SANITIZER_NAMES,
          .started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))};
}

fs::path checkout() {
  const char* root = std::getenv("PRELAUNCH_ROOT");
  const fs::path base = root == nullptr || *root == '\0' ? fs::current_path() : fs::path(root);
  return fs::absolute(base).lexically_normal();
}

fs::path default_run_folder(const fs::path& root) {
  const char* runs = std::getenv("PRELAUNCH_RUNS");
  const bool elsewhere = runs != nullptr && *runs != '\0';
  return (elsewhere ? fs::path(runs) : root / "reports" / "runs") /
         run_name(std::time(nullptr), host_name(), head(root));
}

std::string run_name(std::time_t now, std::string_view machine, std::string_view commit) {
  constexpr std::size_t kDigits = 12;
  std::string name(machine.empty() ? "unknown" : machine);
  std::ranges::replace_if(name, [](char c) { return !is_word(c); }, '-');
  const std::string_view digits = commit.substr(0, kDigits);
  const bool is_id = digits.size() == kDigits &&
                     digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return fmt::format("{:%Y-%m-%d-%H%M%S}-{}-{}", fmt::gmtime(now), name,
                     is_id ? digits : "nocommit");
}

}  // namespace prelaunch
