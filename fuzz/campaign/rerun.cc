#include "fuzz/campaign/rerun.h"

#include <sys/wait.h>

namespace prelaunch::fuzz {
namespace {

constexpr std::size_t kLogTail = std::size_t{1} << 16;

}  // namespace

LogFinding timeout_finding() { return {"timeout", "", "timeout"}; }

void Rerun::start(const std::filesystem::path& program, const std::filesystem::path& input,
                  const std::filesystem::path& log) {
  std::error_code ignored;
  std::filesystem::remove(log, ignored);
  input_ = input;
  log_ = log;
  process_.start(program, {std::filesystem::absolute(input).string()}, fuzzer_environment(), log);
  started_ = std::chrono::steady_clock::now();
}

std::optional<EndingInput> Rerun::poll() {
  if (!process_.running()) return std::nullopt;
  if (const auto status = process_.poll()) {
    const bool normal = WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
    if (normal) return EndingInput{input_, std::nullopt, log_};
    return EndingInput{input_, read_finding(read_tail(log_, kLogTail)), log_};
  }
  const auto used = std::chrono::steady_clock::now() - started_;
  if (used < std::chrono::seconds{kInputSeconds}) return std::nullopt;
  process_.kill_group();
  return EndingInput{input_, timeout_finding(), log_};
}

std::filesystem::path Rerun::give_up() {
  process_.kill_group();
  return input_;
}

}  // namespace prelaunch::fuzz
