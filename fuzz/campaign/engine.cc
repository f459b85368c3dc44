#include "fuzz/campaign/engine.h"

#include <fmt/format.h>

#include "fuzz/campaign/engine_afl.h"
#include "fuzz/campaign/finding.h"

namespace prelaunch::fuzz {
namespace {

// What a report at the end of a log may take.
constexpr std::size_t kLogTail = std::size_t{1} << 16;

class LibFuzzerEngine final : public Engine {
 public:
  explicit LibFuzzerEngine(TargetPaths paths) : paths_(std::move(paths)) {}

  Launch launch(const Start& start) override {
    log_ = start.log;
    std::vector<std::string> arguments = fuzzer_limits();
    // libFuzzer removes an input's file before it writes that of a smaller one in its place: killed
    // in between it would lose both. The campaign makes the corpus minimal itself.
    arguments.emplace_back("-reduce_inputs=0");
    arguments.insert(
        arguments.end(),
        {fmt::format("-max_total_time={}", start.time.count()), fmt::format("-seed={}", start.seed),
         fmt::format("-artifact_prefix={}-", paths_.artifacts.string()), "-reload=1",
         "-print_final_stats=1", paths_.work_corpus.string()});
    for (const std::filesystem::path& seeds : paths_.seeds) arguments.push_back(seeds.string());
    return {paths_.program, std::move(arguments), fuzzer_environment()};
  }

  LogProgress progress() const override { return read_progress(read_tail(log_, kLogTail)); }

  bool is_instrumented() const override { return tells_counters(read_head(log_, kLogTail)); }

  // It ends with its target: the log's report is of the input that it left.
  std::vector<EndingInput> endings(FuzzerState fuzzer) override {
    std::vector<EndingInput> out;
    if (fuzzer == FuzzerState::kRunning) return out;
    for (const std::filesystem::path& input : artifacts_of(paths_.artifacts)) {
      out.push_back({input, read_finding(read_tail(log_, kLogTail)), log_});
    }
    return out;
  }

  bool is_waiting() const override { return false; }
  std::vector<EndingInput> give_up() override { return {}; }

 private:
  TargetPaths paths_;
  std::filesystem::path log_;
};

}  // namespace

std::unique_ptr<Engine> make_engine(EngineKind kind, TargetPaths paths) {
  if (kind == EngineKind::kAfl) return std::make_unique<AflEngine>(std::move(paths));
  return std::make_unique<LibFuzzerEngine>(std::move(paths));
}

std::optional<std::string> missing_engine(EngineKind kind) {
  if (kind == EngineKind::kLibFuzzer || !afl_fuzz().empty()) return std::nullopt;
  return "afl-fuzz is missing: install Debian's package afl++, or use --engine libfuzzer";
}

}  // namespace prelaunch::fuzz
