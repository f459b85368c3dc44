#include "fuzz/campaign/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "fuzz/campaign/finding.h"
#include "fuzz/campaign/fuzzer.h"
#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace {

using std::chrono::seconds;

// A target that keeps ending gives its time up after so many starts.
constexpr int kMaxRestarts = 20;
static_assert(kMaxRestarts < kSeedsPerWorker, "a restart would take another worker's seed");
// A process that outlives its time by more than an input may take is ended.
constexpr seconds kGrace{kInputSeconds + 10};

Stats* map_stats(const std::filesystem::path& path) {
  write_file(path, std::string(sizeof(Stats), '\0'));
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  void* pages = file < 0
                    ? MAP_FAILED
                    : mmap(nullptr, sizeof(Stats), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int error = errno;
  if (file >= 0) close(file);
  if (pages == MAP_FAILED) {
    throw FileError(fmt::format("{}: cannot map: {}", path.string(), std::strerror(error)));
  }
  return static_cast<Stats*>(pages);
}

}  // namespace

Worker::Worker(const OpInfo& op, Profile profile, TargetPaths paths, seconds share,
               std::uint64_t seed)
    : op_(op),
      profile_(profile),
      paths_(std::move(paths)),
      share_(share),
      seed_(seed),
      stats_(map_stats(paths_.stats)) {}

Worker::~Worker() {
  process_.signal(SIGKILL);
  munmap(stats_, sizeof(Stats));
}

void Worker::start() {
  started_ = Clock::now();
  launch();
}

seconds Worker::left() const {
  if (state_ == State::kWaiting) return share_;
  const auto used = std::chrono::duration_cast<seconds>(Clock::now() - started_);
  return std::max(seconds{0}, share_ - used);
}

double Worker::used_seconds() const {
  if (state_ == State::kWaiting) return 0;
  const Clock::time_point end = state_ == State::kDone ? ended_ : Clock::now();
  return std::chrono::duration<double>(end - started_).count();
}

std::filesystem::path Worker::log() const {
  return fmt::format("{}.{}.log", paths_.log.string(), restarts_);
}

std::vector<std::string> Worker::arguments() const {
  const auto time = std::max<std::int64_t>(left().count(), 1);
  std::vector<std::string> out = fuzzer_limits();
  out.insert(out.end(), {fmt::format("-max_total_time={}", time),
                         fmt::format("-seed={}", seed_ + static_cast<std::uint64_t>(restarts_)),
                         fmt::format("-artifact_prefix={}-", paths_.artifacts.string()),
                         "-reload=1", "-print_final_stats=1", paths_.work_corpus.string()});
  for (const std::filesystem::path& seeds : paths_.seeds) out.push_back(seeds.string());
  return out;
}

void Worker::launch() {
  auto environment = fuzzer_environment();
  environment.emplace_back("PRELAUNCH_STATS", paths_.stats.string());
  process_.start(paths_.program, arguments(), environment, log());
  state_ = State::kRunning;
}

void Worker::stop() {
  stopping_ = true;
  process_.signal(SIGINT);  // libFuzzer writes what it has and leaves
}

void Worker::look(std::vector<Finding>& found, std::vector<std::string>& untrusted) {
  if (state_ != State::kRunning) return;
  if (const auto status = process_.poll()) {
    ended(*status, found, untrusted);
  } else if (Clock::now() - started_ > share_ + kGrace) {
    untrusted.push_back(fmt::format("{} {} did not end in time", op_.name, to_string(profile_)));
    process_.signal(SIGKILL);
    stopping_ = true;
  }
}

void Worker::ended(int status, std::vector<Finding>& found, std::vector<std::string>& untrusted) {
  state_ = State::kDone;
  ended_ = Clock::now();
  if (stopping_ || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) return;
  const std::string name = fmt::format("{} {}", op_.name, to_string(profile_));
  const std::vector<std::filesystem::path> inputs = artifacts_of(paths_.artifacts);
  if (inputs.empty()) {
    untrusted.push_back(fmt::format("{} ended with {} and left no input: see {}", name,
                                    how_it_ended(status), log().filename().string()));
    return;
  }
  for (const auto& input : inputs) {
    add_finding(keep_finding(op_, profile_, input, read_finding(read_tail(log(), 1 << 16))), found);
  }
  if (++restarts_ > kMaxRestarts || left() < std::chrono::seconds{2}) return;
  launch();
}

}  // namespace prelaunch::fuzz
