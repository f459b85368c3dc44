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

static_assert(kMaxRestarts < kSeedsPerWorker, "a restart would take another worker's seed");
// A process that outlives its time by more than an input may take is asked to end, and then ended.
constexpr seconds kPatience{kInputSeconds + 1}, kGrace{10};

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

Worker::Worker(const OpInfo& op, Profile profile, EngineKind engine, TargetPaths paths,
               seconds share, std::uint64_t seed)
    : op_(op),
      profile_(profile),
      paths_(std::move(paths)),
      share_(share),
      seed_(seed),
      stats_(map_stats(paths_.stats)),
      engine_(make_engine(engine, paths_)) {}

Worker::~Worker() {
  process_.kill_group();
  munmap(stats_, sizeof(Stats));
}

std::string Worker::name() const { return fmt::format("{} {}", op_.name, to_string(profile_)); }

void Worker::start() {
  started_ = Clock::now();
  deadline_ = started_ + share_ + kPatience + kGrace;
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

void Worker::launch() {
  Launch launch = engine_->launch({.log = log(),
                                   .time = std::max(left(), seconds{1}),
                                   .seed = seed_ + static_cast<std::uint64_t>(restarts_)});
  launch.environment.emplace_back("PRELAUNCH_STATS", paths_.stats.string());
  launch.environment.emplace_back("PRELAUNCH_QUARANTINE", paths_.quarantine.string());
  process_.start(launch.program, launch.arguments, launch.environment, log());
  endings_before_ = endings_;
  state_ = State::kRunning;
}

void Worker::stop() {
  stopping_ = true;
  deadline_ = std::min(deadline_, Clock::now() + kGrace);
  process_.signal(SIGINT);  // it writes what it has and leaves
}

void Worker::look(std::vector<Finding>& found, std::vector<std::string>& untrusted) {
  if (state_ != State::kRunning) return;
  if (const auto status = process_.poll()) status_ = *status;
  const bool running = process_.running();
  const auto endings = engine_->endings(running ? FuzzerState::kRunning : FuzzerState::kEnded);
  for (const EndingInput& ending : endings) keep(ending, found, untrusted);
  if (running || engine_->is_waiting()) {
    watch_time(found, untrusted);
  } else {
    ended(untrusted);
  }
}

void Worker::keep(const EndingInput& ending, std::vector<Finding>& found,
                  std::vector<std::string>& untrusted) {
  ++endings_;
  if (ending.why) return add_finding(keep_finding(op_, profile_, ending.path, *ending.why), found);
  // Not among the findings, but there to be looked at.
  const std::filesystem::path kept = std::filesystem::path(ending.log).replace_extension(".input");
  std::error_code ignored;
  std::filesystem::rename(ending.path, kept, ignored);
  if (++unexplained_ > 1) return;  // one sentence is enough
  untrusted.push_back(
      fmt::format("{}: an input ended it and, run again, did not: see logs/{}; ./prelaunch corpus "
                  "json shows it as a call",
                  name(), kept.filename().string()));
}

void Worker::watch_time(std::vector<Finding>& found, std::vector<std::string>& untrusted) {
  const Clock::time_point now = Clock::now();
  const bool over = now > started_ + share_ + kPatience || endings_ > kMaxRestarts;
  if (over && !stopping_) stop();
  if (now < deadline_) return;
  if (process_.running()) untrusted.push_back(fmt::format("{} did not end in time", name()));
  process_.kill_group();
  for (const EndingInput& ending : engine_->give_up()) keep(ending, found, untrusted);
  finish();
}

void Worker::finish() {
  state_ = State::kDone;
  ended_ = Clock::now();
}

void Worker::ended(std::vector<std::string>& untrusted) {
  finish();
  if (stopping_ || (WIFEXITED(status_) && WEXITSTATUS(status_) == 0)) return;
  if (endings_ == endings_before_) {
    untrusted.push_back(fmt::format("{} ended with {} and left no input: see {}", name(),
                                    how_it_ended(status_), log().filename().string()));
    return;
  }
  if (++restarts_ > kMaxRestarts || left() < seconds{2}) return;
  launch();
}

}  // namespace prelaunch::fuzz
