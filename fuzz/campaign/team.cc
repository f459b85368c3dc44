#include "fuzz/campaign/team.h"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/campaign/interrupt.h"
#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace {

using std::chrono::seconds;

// Less time is not worth the start of a fuzzer.
constexpr seconds kLeast{5};

std::vector<std::size_t> present(const Folders& folders, const std::vector<TargetResult>& targets) {
  std::vector<std::size_t> out;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    if (is_executable(folders.program(targets[t]))) out.push_back(t);
  }
  return out;
}

std::string name_of(const TargetResult& target) { return target_name(*target.op, target.profile); }

}  // namespace

Team::Team(const CampaignOptions& options, const Folders& folders,
           std::vector<TargetResult>& targets, std::vector<std::string>& untrusted, seconds time)
    : options_(options),
      folders_(folders),
      targets_(targets),
      untrusted_(untrusted),
      present_(present(folders, targets)),
      schedule_(present_.size(), options.jobs, time),
      deadline_(Clock::now() + time),
      past_(targets.size()) {}

bool Team::step() {
  for (std::size_t i = members_.size(); i-- > 0;) {
    members_[i].worker->look(target_of(members_[i].slice).findings, untrusted_);
    if (members_[i].worker->state() != Worker::State::kDone) continue;
    retire(members_[i]);
    members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (interrupted()) {
    stop_all();
  } else {
    while (members_.size() < options_.jobs && start_next()) {
    }
  }
  return !members_.empty();
}

bool Team::start_next() {
  auto slice = schedule_.next();
  if (!slice) return false;
  if (slice->extra) {
    const auto left = std::chrono::floor<seconds>(deadline_ - Clock::now());
    slice->time = std::min(slice->time, left);
    if (slice->time < kLeast) return false;
  }
  const TargetResult& target = target_of(*slice);
  Member member{
      std::make_unique<Worker>(*target.op, target.profile, target.engine,
                               folders_.paths(target, past_of(*slice).workers++), slice->time,
                               worker_seed(options_.seed, options_.shard, started_++)),
      *slice, inputs(target)};
  member.worker->start();
  members_.push_back(std::move(member));
  return true;
}

void Team::retire(const Member& member) {
  const TargetResult& target = target_of(member.slice);
  Past& past = past_of(member.slice);
  const std::size_t now = inputs(target);
  schedule_.ended(member.slice, now - std::min(now, member.inputs_before));
  past.stats += member.worker->stats();
  past.seconds += member.worker->used_seconds();
  past.given_up |= member.worker->is_given_up();
  const LogProgress progress = member.worker->progress();
  past.features = std::max(past.features, progress.features);
  past.corpus = std::max(past.corpus, progress.corpus);
  if (!member.worker->is_instrumented() && !interrupted()) {
    untrusted_.push_back(fmt::format(
        "{} is not instrumented: the engine was told of no counters to guide it", name_of(target)));
  }
}

void Team::stop_all() {
  if (stopped_) return;
  stopped_ = true;
  for (const Member& member : members_) member.worker->stop();
}

void Team::add_up() {
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    targets_[t].stats = past_[t].stats;
    targets_[t].seconds = past_[t].seconds;
    targets_[t].corpus = past_[t].corpus;
    targets_[t].features = past_[t].features;
  }
  for (const Member& member : members_) {
    TargetResult& target = target_of(member.slice);
    target.stats += member.worker->stats();
    target.seconds += member.worker->used_seconds();
    const LogProgress progress = member.worker->progress();
    target.features = std::max(target.features, progress.features);
    target.corpus = std::max(target.corpus, progress.corpus);
  }
}

void Team::distrust_given_up() {
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    if (!past_[t].given_up || !targets_[t].findings.empty()) continue;
    untrusted_.push_back(
        fmt::format("{} was given up after {:.0f} s: known findings ended it more than {} times; "
                    "quarantine them in fuzz/ledger.json",
                    name_of(targets_[t]), past_[t].seconds, kMaxRestarts));
  }
}

std::vector<ProgressLine> Team::lines() {
  add_up();
  std::vector<ProgressLine> out;
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    const TargetResult& target = targets_[t];
    out.push_back({name_of(target), target.stats.executions, target.features,
                   target.findings.size(), target.seconds, left(t)});
  }
  return out;
}

seconds Team::left(std::size_t target) const {
  seconds out{0};
  for (const Member& member : members_) {
    if (present_[member.slice.target] == target) out = std::max(out, member.worker->left());
  }
  for (std::size_t i = 0; i < present_.size(); ++i) {
    if (present_[i] == target) out += schedule_.planned(i);
  }
  return out;
}

std::size_t Team::inputs(const TargetResult& target) const {
  return list_files(folders_.work_corpus(target), "").size();
}

}  // namespace prelaunch::fuzz
