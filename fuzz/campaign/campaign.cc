#include "fuzz/campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "fuzz/campaign/corpus_replay.h"
#include "fuzz/campaign/finding.h"
#include "fuzz/campaign/fuzzer.h"
#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/progress.h"
#include "fuzz/campaign/worker.h"
#include "fuzz/files.h"
#include "fuzz/pack.h"
#include "fuzz/witness.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

using std::chrono::seconds;

// The file of a campaign under way is written after a second, then every ten.
constexpr seconds kFirstSave{1}, kSaveInterval{10};

std::string name_of(const TargetResult& target) { return target_name(*target.op, target.profile); }

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
    result_.shard = options_.shard;
    make_folders();
    save_unended();
    for (const OpInfo* op : options_.ops) {
      if (auto blind = blind_witness(*op)) distrust("a witness failed its self-test: " + *blind);
    }
    for (const OpInfo* op : options_.ops) replay(*op);
    if (can_fuzz()) fuzz();
    distrust_idle_targets();
    result_.interrupted = interrupted();
    if (result_.interrupted) distrust("the campaign was interrupted");
    result_.seconds = elapsed();
    save(result_);
    return std::move(result_);
  }

 private:
  void distrust(std::string reason) { result_.untrusted.push_back(std::move(reason)); }

  void make_folders() {
    for (const char* part : {"findings", "logs", ".parts"}) make_folder(options_.out / part);
    for (const TargetResult& target : result_.targets) make_folder(work_corpus(target));
  }
  fs::path checkout_corpus(const TargetResult& target) const {
    return options_.root / "corpus" / ".work" / name_of(target);
  }
  // Where found inputs go. A shard's stay in its own folder: its checkout may be another machine's.
  fs::path work_corpus(const TargetResult& target) const {
    return options_.shard ? options_.out / "corpus" / name_of(target) : checkout_corpus(target);
  }
  fs::path program(const TargetResult& target) const {
    return fuzzer_program(options_.programs, *target.op, target.profile);
  }

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }
  void save(const CampaignResult& result) const {
    write_file(options_.out / "campaign.json", campaign_json(result));
  }
  // What remains of a campaign that is killed: what it had seen, and that it did not end.
  void save_unended() const {
    CampaignResult state = result_;
    state.ended = false;
    state.untrusted.emplace_back(kNotEnded);
    state.seconds = elapsed();
    save(state);
  }

  // The stored calls of an op count for its execute target.
  void replay(const OpInfo& op) {
    const auto target = std::find_if(
        result_.targets.begin(), result_.targets.end(),
        [&op](const TargetResult& t) { return t.op == &op && t.profile == Profile::kExecute; });
    replay_corpus(options_, op, target->findings, result_.untrusted);
  }

  bool is_there(const TargetResult& target) const { return is_executable(program(target)); }

  // One missing target does not stop the others.
  bool can_fuzz() {
    bool any = false;
    for (const TargetResult& target : result_.targets) {
      any |= is_there(target);
      if (is_there(target)) continue;
      distrust(fmt::format("{} is missing", program(target).filename().string()));
    }
    if (symbolizer().empty()) distrust("llvm-symbolizer-19 is missing: reports would name no line");
    return any && !interrupted();
  }

  void fuzz() {
    Progress progress;
    next_save_ = Clock::now() + kFirstSave;
    try {
      make_workers();
      while (step()) {
        progress.show(lines());
        save_when_due();
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

  // A finding is never later in the file than in its folder. A disk that is full for a moment ends
  // no campaign; the last write says whether it still is.
  void save_when_due() {
    const std::size_t findings = finding_count();
    if (Clock::now() < next_save_ && findings == saved_findings_) return;
    next_save_ = Clock::now() + kSaveInterval;
    saved_findings_ = findings;
    try {
      save_unended();
    } catch (const FileError&) {
    }
  }
  std::size_t finding_count() const {
    std::size_t count = 0;
    for (const TargetResult& target : result_.targets) count += target.findings.size();
    return count;
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
        if (!is_there(target)) continue;
        if (w == 0) {
          pack_calls(*target.op, stored_calls(*target.op, options_.root / "corpus"),
                     seeds_of(target));
        }
        workers_.push_back(
            std::make_unique<Worker>(*target.op, target.profile, paths(target, w), share,
                                     worker_seed(options_.seed, options_.shard, workers_.size())));
        target_of_.push_back(t);
      }
    }
  }

  fs::path seeds_of(const TargetResult& target) const {
    return options_.out / ".parts" / target.op->name;
  }
  TargetPaths paths(const TargetResult& target, unsigned worker) const {
    const std::string name = fmt::format("{}-{}", name_of(target), worker);
    TargetPaths paths{.program = program(target),
                      .work_corpus = work_corpus(target),
                      .seeds = {seeds_of(target)},
                      .log = options_.out / "logs" / name,
                      .stats = options_.out / ".parts" / (name + ".stats"),
                      .artifacts = options_.out / "findings" / name};
    std::error_code ignored;
    const bool more = options_.shard && fs::is_directory(checkout_corpus(target), ignored);
    if (more) paths.seeds.push_back(checkout_corpus(target));
    return paths;
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
    if (interrupted()) {
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
      if (interrupted() || !is_there(target)) continue;
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
  Clock::time_point begun_, next_save_;
  std::size_t saved_findings_ = 0;
  bool stopped_ = false;
};

}  // namespace

CampaignResult run_campaign(const CampaignOptions& options) {
  catch_interrupts();
  return Campaign(options).run();
}

}  // namespace prelaunch::fuzz
