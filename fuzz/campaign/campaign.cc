#include "fuzz/campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <thread>

#include "fuzz/campaign/corpus_replay.h"
#include "fuzz/campaign/doubts.h"
#include "fuzz/campaign/finding.h"
#include "fuzz/campaign/folders.h"
#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/join.h"
#include "fuzz/campaign/known.h"
#include "fuzz/campaign/open_findings.h"
#include "fuzz/campaign/progress.h"
#include "fuzz/campaign/replay.h"
#include "fuzz/campaign/team.h"
#include "fuzz/campaign/tool.h"
#include "fuzz/dictionary.h"
#include "fuzz/files.h"
#include "fuzz/pack.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

using std::chrono::seconds;

// The file of a campaign under way is written after a second, then every ten.
constexpr seconds kFirstSave{1}, kSaveInterval{10};
// A work corpus of more inputs than this is made minimal.
constexpr std::size_t kMinimizeFrom = 1000;

std::string name_of(const TargetResult& target) { return target_name(*target.op, target.profile); }

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options) : options_(options), folders_(options) {
    for (const OpInfo* op : options.ops) {
      for (const Profile profile : {Profile::kValidate, Profile::kExecute}) {
        TargetResult& target = result_.targets.emplace_back();
        target.op = op;
        target.profile = profile;
        target.engine = options.engine;
      }
    }
  }

  CampaignResult run() {
    begin();
    doubts_.about_programs(result_.targets);
    try {
      judge_again();
    } catch (const Interrupted&) {
    }
    if (can_fuzz()) fuzz();
    if (!interrupted()) doubts_.about_targets(result_.targets);
    finish();
    return std::move(result_);
  }

 private:
  void distrust(std::string reason) { result_.untrusted.push_back(std::move(reason)); }
  bool is_there(const TargetResult& target) const {
    return is_executable(folders_.program(target));
  }
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }

  void begin() {
    begun_ = Clock::now();
    result_.provenance = read_provenance(options_.root);
    result_.seed = options_.seed;
    result_.shard = options_.shard;
    folders_.make(result_.targets);
    save_unended();
    doubts_.about_disks();
  }

  void finish() {
    result_.interrupted = interrupted();
    if (result_.interrupted) distrust("the campaign was interrupted");
    doubts_.about_clocks();
    doubts_.about_disks();
    result_.seconds = elapsed();
    try {
      save(result_);
    } catch (const FileError& error) {
      throw Untrusted(error.what());  // there is no telling what it saw
    }
  }

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

  // --- what is known already
  // ------------------------------------------------------------------------

  void judge_again() {
    known_.emplace(options_.root, options_.ops, result_.known, result_.untrusted);
    if (!known_->is_readable()) return;  // what must not be run stands there
    if (!options_.shard) {
      known_->judge_tolerated(options_.out, result_.targets);
      recall();
    }
    for (const OpInfo* op : options_.ops) {
      replay_corpus(options_, *op, *known_, target_of(*op, Profile::kExecute).findings,
                    result_.untrusted);
    }
  }
  TargetResult& target_of(const OpInfo& op, Profile profile) {
    return *std::find_if(
        result_.targets.begin(), result_.targets.end(),
        [&](const TargetResult& t) { return t.op == &op && t.profile == profile; });
  }
  void recall() {
    for (const OpenFinding& open :
         recall_findings(folders_.findings(), options_.ops, known_->ledger(), options_.out,
                         result_.untrusted)) {
      if (known_->take(*open.op, open.seen)) continue;
      add_finding(open.finding, target_of(*open.op, open.profile).findings);
    }
  }

  // --- fuzzing
  // --------------------------------------------------------------------------------------

  // One missing target does not stop the others.
  bool can_fuzz() {
    bool any = false;
    for (const TargetResult& target : result_.targets) {
      any |= is_there(target);
      if (is_there(target)) continue;
      distrust(fmt::format("{} is missing: ./prelaunch fuzz --engine {} builds it",
                           folders_.program(target).filename().string(), to_string(target.engine)));
    }
    if (auto missing = missing_engine(options_.engine)) {
      distrust(*missing);
      any = false;
    }
    if (symbolizer().empty()) distrust("llvm-symbolizer-19 is missing: reports would name no line");
    return any && known_->is_readable() && !interrupted();
  }

  void fuzz() {
    next_save_ = Clock::now() + kFirstSave;
    try {
      for (const TargetResult& target : result_.targets) write_parts(target);
      run_team();
      if (!interrupted()) minimize();
    } catch (const FileError& error) {
      // What was seen until now is worth a report.
      distrust(fmt::format("fuzzing ended early: {}", error.what()));
    }
    std::error_code ignored;
    fs::remove_all(options_.out / ".parts", ignored);
  }

  void write_parts(const TargetResult& target) const {
    const auto calls = stored_calls(*target.op, options_.root / "corpus");
    pack_calls(*target.op, calls, folders_.seeds(target));
    write_file(folders_.words(target), dictionary(*target.op, calls));
    const auto left_out = quarantine_of(known_->ledger(), *target.op);
    write_file(folders_.quarantine(target), format_quarantine(*target.op, left_out));
  }

  void run_team() {
    const auto used = std::chrono::ceil<seconds>(Clock::now() - begun_);
    Team team(options_, folders_, result_.targets, result_.untrusted,
              std::max(options_.budget - used, seconds{1}));
    Progress progress;
    while (team.step()) {
      take_new_findings();
      progress.show(team.lines());
      save_when_due();
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
    }
    take_new_findings();
    team.add_up();
    team.distrust_given_up();
    count_quarantined();
    progress.finish(team.lines());
  }

  // Those that the ledger knows go, as often as they are seen; of the others the calls are copied
  // to OUT.
  void take_new_findings() {
    for (TargetResult& target : result_.targets) {
      std::erase_if(target.findings, [&](Finding& finding) {
        if (finding.call.starts_with("corpus/")) return false;
        const auto [taken, is_new] = taken_.try_emplace(finding.id, false);
        if (is_new) taken->second = is_known(target, finding);
        return taken->second;
      });
    }
  }
  bool is_known(const TargetResult& target, Finding& finding) {
    const fs::path path = folders_.findings() / (finding.id + ".json");
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return false;  // it lies in OUT already
    const StoredCall stored = load_call(path);
    if (known_->take(*target.op, judge_one(*target.op, {stored.named.call, stored.named.expect}))) {
      return true;
    }
    finding.call = fmt::format("findings/{}.json", finding.id);
    const fs::path copy = options_.out / finding.call;
    finding.replay = "./prelaunch replay " + shell_word(fs::absolute(copy).string());
    if (path != copy) write_file(copy, read_file(path, kMaxCallBytes));
    return false;
  }

  void count_quarantined() {
    std::map<const OpInfo*, std::size_t> places;
    for (KnownState& known : result_.known) {
      if (!known.quarantined) continue;
      const std::size_t place = std::min(places[known.op]++, kMostQuarantined - 1);
      for (const TargetResult& target : result_.targets) {
        if (target.op == known.op) known.seen += target.stats.quarantined[place];
      }
    }
  }

  // A finding is never later in the file than in its folder. A disk that is full for a moment ends
  // no campaign; the last write says whether it still is.
  void save_when_due() {
    const std::size_t findings = finding_count();
    if (Clock::now() < next_save_ && findings == saved_findings_) return;
    next_save_ = Clock::now() + kSaveInterval;
    saved_findings_ = findings;
    doubts_.about_disks();
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

  // A shard's corpus is joined with others first.
  void minimize() {
    if (options_.shard || options_.engine != EngineKind::kLibFuzzer) return;
    for (TargetResult& target : result_.targets) {
      const fs::path work = folders_.work_corpus(target);
      if (!is_there(target) || list_files(work, "").size() <= kMinimizeFrom) continue;
      const fs::path log = options_.out / "logs" / ("minimize-" + name_of(target) + ".log");
      const auto left = minimize_corpus(folders_.program(target), folders_.seeds(target), work,
                                        options_.out / ".parts" / "minimize", log);
      if (interrupted()) return;
      if (!left) {
        distrust(fmt::format("the corpus of {} could not be made minimal: see logs/{}",
                             name_of(target), log.filename().string()));
        continue;
      }
      fmt::print("{}: {} of {} inputs kept\n", name_of(target), left->kept, left->had);
    }
  }

  const CampaignOptions& options_;
  const Folders folders_;
  CampaignResult result_;
  Doubts doubts_{options_, folders_, result_.untrusted};
  std::optional<KnownFindings> known_;
  std::map<std::string, bool> taken_;  // ids of findings that were looked at: does the ledger know?
  Clock::time_point begun_, next_save_;
  std::size_t saved_findings_ = 0;
};

}  // namespace

CampaignResult run_campaign(const CampaignOptions& options) {
  catch_interrupts();
  return Campaign(options).run();
}

}  // namespace prelaunch::fuzz
