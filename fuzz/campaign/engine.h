// What drives a target, libFuzzer or AFL++: what is started, and where that leaves what it finds. A
// worker (worker.h) knows processes and time, an engine what differs between the two.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/campaign/fuzzer.h"
#include "fuzz/campaign/log.h"

namespace prelaunch::fuzz {

// A target that keeps ending gives its time up after so many restarts, or inputs that ended it.
inline constexpr int kMaxRestarts = 20;

// Where a target's files are, for one of its workers.
struct TargetPaths {
  std::filesystem::path program;
  std::filesystem::path work_corpus;         // found inputs go there, named by their SHA-1
  std::vector<std::filesystem::path> seeds;  // folders that it only reads
  std::filesystem::path words;               // the dictionary, for engines that mutate blindly
  std::filesystem::path quarantine;          // fuzz/quarantine.h
  std::filesystem::path log, stats, artifacts;
  unsigned worker = 0;  // counts the workers of the target
};

// One start of a fuzzer.
struct Start {
  std::filesystem::path log;
  std::chrono::seconds time;
  std::uint64_t seed;
};

// What is started for it.
struct Launch {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
};

// An input that ended its target, in the folder of findings.
struct EndingInput {
  std::filesystem::path path;
  std::optional<LogFinding> why;  // nothing where it ended normally when it was run again
  std::filesystem::path log;      // that says so
};

enum class FuzzerState : std::uint8_t { kRunning, kEnded };

// All but progress() throw FileError.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual Launch launch(const Start& start) = 0;
  // Since the last launch.
  virtual LogProgress progress() const = 0;
  // Whether the fuzzer, which was started, is guided by what its target does.
  virtual bool is_instrumented() const = 0;
  // The inputs whose reason has become known since the last call. Call often, and once more after
  // the fuzzer's end: what it found is handed over on the way.
  virtual std::vector<EndingInput> endings(FuzzerState fuzzer) = 0;
  // Whether an input still waits for its reason to become known.
  virtual bool is_waiting() const = 0;
  // Ends the waiting: those inputs, with what is known about them.
  virtual std::vector<EndingInput> give_up() = 0;
};

std::unique_ptr<Engine> make_engine(EngineKind kind, TargetPaths paths);

// Why no target can be fuzzed with it here, and what to do; nothing when it can.
std::optional<std::string> missing_engine(EngineKind kind);

}  // namespace prelaunch::fuzz
