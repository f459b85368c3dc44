#include "fuzz/campaign/campaign.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <thread>

#include "fuzz/campaign/finding.h"
#include "fuzz/campaign/progress.h"
#include "fuzz/campaign/replay.h"
#include "fuzz/campaign/worker.h"
#include "fuzz/files.h"
#include "fuzz/pack.h"
#include "fuzz/witness.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

using std::chrono::seconds;

volatile std::sig_atomic_t g_interrupted = 0;
void note_interrupt(int) { g_interrupted = 1; }

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = note_interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

std::string name_of(const TargetResult& target) {
  return fmt::format("{}_{}", target.op->name, to_string(target.profile));
}

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options) : options_(options) {
    for (const OpInfo* op : options.ops) {
      for (const Profile profile : {Profile::kValidate, Profile::kExecute}) {
        TargetResult& target = result_.targets.emplace_back();
        target.op = op;
        target.profile = profile;
      }
    }
  }

  CampaignResult run() {
    begun_ = Clock::now();
    result_.provenance = read_provenance(options_.root);
    result_.seed = options_.seed;
    make_folders();
    if (auto blind = blind_witness()) distrust("a witness failed its self-test: " + *blind);
    for (const OpInfo* op : options_.ops) replay_corpus(*op);
    if (can_fuzz()) fuzz();
    distrust_idle_targets();
    result_.interrupted = g_interrupted != 0;
    if (result_.interrupted) distrust("the campaign was interrupted");
    result_.seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
    return std::move(result_);
  }

 private:
  void distrust(std::string reason) { result_.untrusted.push_back(std::move(reason)); }

  void make_folders() {
    for (const char* part : {"findings", "logs", ".parts"}) make_folder(options_.out / part);
    for (const TargetResult& target : result_.targets) make_folder(work_corpus(target));
  }
  fs::path work_corpus(const TargetResult& target) const {
    return options_.root / "corpus" / ".work" / name_of(target);
  }
  fs::path program(const TargetResult& target) const {
    return options_.programs / (name_of(target) + "_fuzzer");
  }

  // The stored calls of an op count for its execute target.
  void replay_corpus(const OpInfo& op) {
    const auto target = std::find_if(
        result_.targets.begin(), result_.targets.end(),
        [&op](const TargetResult& t) { return t.op == &op && t.profile == Profile::kExecute; });
    try {
      const std::vector<fs::path> files = call_files({options_.root / "corpus" / op.name});
      for (const fs::path& path : files) {
        if (g_interrupted != 0) return;
        replay_call(op, path, target->findings);
      }
      fmt::print("{}: {} corpus calls replayed\n", op.name, files.size());
      if (files.empty()) distrust(fmt::format("the corpus of {} is empty", op.name));
    } catch (const FileError& error) {
      distrust(fmt::format("the corpus cannot be read: {}", error.what()));
    }
  }
  void replay_call(const OpInfo& op, const fs::path& path, std::vector<Finding>& found) {
    try {
      const Replayed replayed = replay(load_call(path), {});
      if (replayed.finding) add_finding(corpus_finding(op, path, replayed), found);
    } catch (const FileError& error) {
      distrust(fmt::format("the corpus cannot be read: {}", error.what()));
    }
  }
  // One bug that many stored calls show is one finding, with the first of them.
  Finding corpus_finding(const OpInfo& op, const fs::path& path, const Replayed& replayed) const {
    const fs::path file = fs::relative(path, options_.root);
    return {
        .id = "corpus-" + finding_id(op, Profile::kExecute, {replayed.reason, "", replayed.detail}),
        .reason = replayed.reason,
        .rule = "",
        .detail = "stored call " + path.stem().string() + ": " + replayed.detail,
        .call = file.string(),
        .replay = "./prelaunch replay " + shell_word(file.string())};
  }

  bool is_there(const TargetResult& target) const {
    return access(program(target).c_str(), X_OK) == 0;
  }

  // One missing target does not stop the others.
  bool can_fuzz() {
    bool any = false;
    for (const TargetResult& target : result_.targets) {
      any |= is_there(target);
      if (is_there(target)) continue;
      distrust(fmt::format("{} is missing", program(target).filename().string()));
    }
    if (symbolizer().empty()) distrust("llvm-symbolizer-19 is missing: reports would name no line");
    return any && g_interrupted == 0;
  }

  void fuzz() {
    Progress progress;
    try {
      make_workers();
      while (step()) {
        progress.show(lines());
        std::this_thread::sleep_for(std::chrono::milliseconds{100});
      }
    } catch (const FileError& error) {
      // What was seen until now is worth a report.
      distrust(fmt::format("fuzzing ended early: {}", error.what()));
    }
    add_up();
    progress.finish(lines());
    workers_.clear();
    std::error_code ignored;
    fs::remove_all(options_.out / ".parts", ignored);
  }

  // Targets share the jobs; where there are more jobs than targets, a target has several workers
  // that share its corpus, and where there are fewer, workers wait for each other.
  void make_workers() {
    const auto targets = static_cast<unsigned>(result_.targets.size());
    const unsigned each = std::max(1u, options_.jobs / targets);
    const auto used = std::chrono::ceil<seconds>(Clock::now() - begun_);
    const seconds left = std::max(options_.budget - used, seconds{1});
    const seconds share =
        std::max(seconds{1}, left * std::min(options_.jobs, targets * each) / (targets * each));
    for (unsigned w = 0; w < each; ++w) {
      for (std::size_t t = 0; t < targets; ++t) {
        const TargetResult& target = result_.targets[t];
        const std::string name = fmt::format("{}-{}", name_of(target), w);
        const fs::path seeds = options_.out / ".parts" / target.op->name;
        if (!is_there(target)) continue;
        if (w == 0) pack_corpus(*target.op, options_.root / "corpus", seeds);
        const TargetPaths paths{.program = program(target),
                                .work_corpus = work_corpus(target),
                                .seeds = seeds,
                                .log = options_.out / "logs" / name,
                                .stats = options_.out / ".parts" / (name + ".stats"),
                                .artifacts = options_.out / "findings" / name};
        // libFuzzer takes 32 bits, and 0 for 'choose one'.
        const std::uint64_t seed = (options_.seed * 1000 + workers_.size() * 50) % 0x7fffffff + 1;
        workers_.push_back(
            std::make_unique<Worker>(*target.op, target.profile, paths, share, seed));
        target_of_.push_back(t);
      }
    }
  }

  // Starts and looks after workers; false when none has anything left to do.
  bool step() {
    unsigned running = 0;
    bool waiting = false;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      Worker& worker = *workers_[i];
      worker.look(result_.targets[target_of_[i]].findings, result_.untrusted);
      running += worker.state() == Worker::State::kRunning;
      waiting |= worker.state() == Worker::State::kWaiting;
    }
    if (g_interrupted != 0) {
      if (!stopped_) stop_all();
      return running > 0;
    }
    for (const auto& worker : workers_) {
      if (running >= options_.jobs || worker->state() != Worker::State::kWaiting) continue;
      worker->start();
      ++running;
    }
    return running > 0 || waiting;
  }
  void stop_all() {
    stopped_ = true;
    for (const auto& worker : workers_) worker->stop();
  }

  void add_up() {
    for (TargetResult& target : result_.targets) {
      target.stats = {};
      target.seconds = 0;
    }
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const Worker& worker = *workers_[i];
      TargetResult& target = result_.targets[target_of_[i]];
      target.stats += worker.stats();
      target.seconds += worker.used_seconds();
      const LogProgress progress = worker.progress();
      target.features = std::max(target.features, progress.features);
      target.corpus = std::max(target.corpus, progress.corpus);
    }
  }

  std::vector<ProgressLine> lines() {
    add_up();
    std::vector<ProgressLine> out;
    for (std::size_t t = 0; t < result_.targets.size(); ++t) {
      const TargetResult& target = result_.targets[t];
      seconds left{0};
      for (std::size_t i = 0; i < workers_.size(); ++i) {
        const bool done = workers_[i]->state() == Worker::State::kDone;
        if (target_of_[i] == t && !done) left = std::max(left, workers_[i]->left());
      }
      out.push_back({name_of(target), target.stats.executions, target.features,
                     target.findings.size(), target.seconds, left});
    }
    return out;
  }

  void distrust_idle_targets() {
    for (const TargetResult& target : result_.targets) {
      if (g_interrupted != 0 || !is_there(target)) continue;
      const Stats& stats = target.stats;
      if (stats.accepted == 0 || stats.rejected == 0) {
        distrust(fmt::format("{} executed {} accepted and {} rejected calls", name_of(target),
                             stats.accepted, stats.rejected));
      } else if (target.profile == Profile::kExecute && stats.executed == 0) {
        distrust(fmt::format("{} ran no kernel", name_of(target)));
      }
    }
  }

  const CampaignOptions& options_;
  CampaignResult result_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::size_t> target_of_;  // for each worker
  Clock::time_point begun_;
  bool stopped_ = false;
};

}  // namespace

bool CampaignResult::has_findings() const {
  return std::any_of(targets.begin(), targets.end(),
                     [](const TargetResult& target) { return !target.findings.empty(); });
}

std::string_view CampaignResult::verdict() const {
  return !untrusted.empty() ? "untrusted" : has_findings() ? "findings" : "clean";
}

int CampaignResult::exit_code() const {
  if (interrupted) return 130;
  return !untrusted.empty() ? 3 : has_findings() ? 1 : 0;
}

CampaignResult run_campaign(const CampaignOptions& options) {
  g_interrupted = 0;
  catch_interrupts();
  return Campaign(options).run();
}

}  // namespace prelaunch::fuzz
