#include "fuzz/proof/planted_run.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdio>
#include <optional>
#include <thread>

#include "fuzz/campaign/fuzzer.h"
#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/log.h"
#include "fuzz/campaign/process.h"
#include "fuzz/campaign/tool.h"
#include "fuzz/files.h"
#include "fuzz/temp_folder.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr std::size_t kMaxLog = std::size_t{1} << 24;
constexpr seconds kGrace{kInputSeconds + 10};

// One run at a time of a list.
class Lane {
 public:
  explicit Lane(fs::path folder) : folder_(std::move(folder)) {}

  bool busy() const { return process_.running(); }
  std::size_t run() const { return number_; }

  void start(const PlantedRun& run, std::size_t number, seconds limit) {
    number_ = number;
    limit_ = limit;
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    make_folder(folder_);
    auto environment = fuzzer_environment();
    environment.emplace_back("PRELAUNCH_PLANTED", planted::to_string(run.planted));
    environment.emplace_back("PRELAUNCH_PROFILE", to_string(run.profile));
    std::vector<std::string> arguments = fuzzer_limits();
    arguments.push_back(fmt::format("-max_total_time={}", limit.count()));
    arguments.push_back(fmt::format("-seed={}", run.seed));
    arguments.push_back(fmt::format("-artifact_prefix={}/", folder_.string()));
    program_ = fs::read_symlink("/proc/self/exe").parent_path() /
               fmt::format("{}_planted_fuzzer", run.op->name);
    started_ = Clock::now();
    process_.start(program_, arguments, environment, log());
  }

  // The result, once there is one.
  std::optional<PlantedResult> poll() {
    const auto status = process_.poll();
    const double used = std::chrono::duration<double>(Clock::now() - started_).count();
    if (!status) {
      if (Clock::now() - started_ > limit_ + kGrace) process_.kill_group();
      return std::nullopt;
    }
    if (WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return PlantedResult{false, "", used};
    const LogFinding said = read_finding(read_file(log(), kMaxLog));
    if (said.reason == "ended") {
      throw Untrusted(fmt::format("{} ended with {} and reported nothing",
                                  program_.filename().string(), how_it_ended(*status)));
    }
    return PlantedResult{true, said.reason, used};
  }

 private:
  fs::path log() const { return folder_ / "log"; }

  fs::path folder_, program_;
  Process process_;
  std::size_t number_ = 0;
  seconds limit_{};
  Clock::time_point started_;
};

class Progress {
 public:
  Progress(std::size_t count, std::size_t lanes, seconds limit)
      : count_(count), lanes_(lanes), limit_(limit) {}

  // A line every half a minute.
  void tell(std::size_t done) {
    if (Clock::now() < next_) return;
    next_ = Clock::now() + seconds{30};
    const auto most = (limit_ * (count_ - done) / lanes_).count();
    std::fprintf(stderr, "prelaunch: %zu of %zu fuzzed, at most %lld min left\n", done, count_,
                 static_cast<long long>(most / 60 + 1));
  }

 private:
  std::size_t count_, lanes_;
  seconds limit_;
  Clock::time_point next_ = Clock::now() + seconds{30};
};

}  // namespace

std::vector<PlantedResult> run_planted(const std::vector<PlantedRun>& runs, seconds limit) {
  const TempFolder scratch;
  std::vector<Lane> lanes;
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1u);
  for (unsigned i = 0; i < cores; ++i) lanes.emplace_back(scratch.path() / std::to_string(i));
  std::vector<PlantedResult> results(runs.size());
  Progress progress(runs.size(), lanes.size(), limit);
  std::size_t next = 0, done = 0;
  while (done < runs.size()) {
    for (Lane& lane : lanes) {
      if (!lane.busy() && next < runs.size()) {
        lane.start(runs[next], next, limit);
        ++next;
      }
      if (!lane.busy()) continue;
      if (auto result = lane.poll()) {
        results[lane.run()] = *std::move(result);
        ++done;
      }
    }
    if (interrupted()) throw Interrupted();
    progress.tell(done);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return results;
}

}  // namespace prelaunch::fuzz
