#include "fuzz/campaign/fuzzer.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/backing.h"
#include "fuzz/campaign/finding.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;

std::string_view to_string(EngineKind engine) {
  return engine == EngineKind::kAfl ? "afl" : "libfuzzer";
}

std::optional<EngineKind> engine_named(std::string_view word) {
  for (const EngineKind engine : {EngineKind::kLibFuzzer, EngineKind::kAfl}) {
    if (word == to_string(engine)) return engine;
  }
  return std::nullopt;
}

std::string target_name(const OpInfo& op, Profile profile) {
  return fmt::format("{}_{}", op.name, to_string(profile));
}

fs::path fuzzer_program(const fs::path& programs, const OpInfo& op, Profile profile) {
  return programs / (target_name(op, profile) + "_fuzzer");
}

bool is_executable(const fs::path& program) { return access(program.c_str(), X_OK) == 0; }

std::vector<std::string> fuzzer_limits() {
  return {fmt::format("-timeout={}", kInputSeconds), "-rss_limit_mb=2560",
          fmt::format("-max_len={}", kMaxInputBytes)};
}

std::vector<std::pair<std::string, std::string>> fuzzer_environment() {
  // A call's buffers lie in the arena: what the heap holds back freshly freed costs speed alone.
  return {{"ASAN_OPTIONS",
           "abort_on_error=0:detect_leaks=0:handle_abort=1:quarantine_size_mb="
           "16" PRELAUNCH_ASAN_BESIDE_CUDA},
          {"UBSAN_OPTIONS", "print_stacktrace=1"},
          {"ASAN_SYMBOLIZER_PATH", symbolizer()}};
}

std::string how_it_ended(int status) {
  return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                             : fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace prelaunch::fuzz
