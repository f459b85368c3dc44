#include "fuzz/proof/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "fuzz/files.h"
#include "fuzz/proof/tables.h"
#include "fuzz/proof/trials.h"

namespace prelaunch::fuzz {
namespace {

using planted::Kind;
using planted::Planted;

constexpr JudgeOptions kAsked{.profile = Profile::kValidate, .explain = Explain::kNever};

// One line, without the indentation of the source.
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t';
    if (!blank) out += c;
    if (blank && !out.empty() && out.back() != ' ') out += ' ';
  }
  return out;
}

bool all_as_expected(const std::vector<StoredCall>& calls) {
  return std::none_of(calls.begin(), calls.end(), [](const StoredCall& stored) {
    return stored.op->judge(stored.named.call, stored.named.expect, kAsked).is_finding();
  });
}

// Which mutants of the shared headers the calls reach.
std::vector<std::size_t> reached_mutants(const std::vector<StoredCall>& calls) {
  const std::size_t count = mutants_of("common").size();
  const auto reached = std::make_unique<bool[]>(count);
  planted::reached_common = reached.get();
  static_cast<void>(all_as_expected(calls));
  planted::reached_common = nullptr;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < count; ++i) {
    if (reached[i]) out.push_back(i);
  }
  return out;
}

Change change_of(const Mutant& mutant, Planted planted) {
  return {planted,
          fmt::format("{}: {} {} -> {}", mutant.where, mutant.kind, one_line(mutant.before),
                      one_line(mutant.after)),
          std::string(mutant.file), mutant.line};
}

void add_deletions(const OpInfo& op, std::vector<Change>& out) {
  for (std::size_t rule = 0; rule < op.rules.size(); ++rule) {
    out.push_back({{Kind::kDeletion, rule}, numbered_id(op, rule) + " left out", "", 0});
  }
}

// Two well-formed rules of one tensor are never broken together: it has one flaw. Which of several
// that is decides the shared header, and the mutants of its order are tried.
bool can_change_places(const OpInfo& op, std::size_t rule) {
  constexpr std::size_t kEach = detail::kWellFormed.size();
  const std::size_t well_formed =
      kEach * static_cast<std::size_t>(std::count_if(
                  op.fields.begin(), op.fields.end(),
                  [](const FieldInfo& field) { return field.type == FieldType::kTensor; }));
  return rule + 1 >= well_formed || (rule + 1) % kEach == 0;
}

void add_swaps(const OpInfo& op, std::vector<Change>& out) {
  for (std::size_t rule = 0; rule + 1 < op.rules.size(); ++rule) {
    if (!can_change_places(op, rule)) continue;
    out.push_back({{Kind::kSwap, rule},
                   fmt::format("{} after {}", numbered_id(op, rule), numbered_id(op, rule + 1)),
                   "",
                   0});
  }
}

// The mutants of a table. Those that read alike are numbered.
std::vector<Change> changes_in(std::string_view table, Kind kind) {
  std::vector<Change> out;
  std::map<std::string, int> seen;
  for (const Mutant& mutant : mutants_of(table)) {
    out.push_back(change_of(mutant, {kind, out.size()}));
    const int count = ++seen[out.back().name];
    if (count > 1) out.back().name += fmt::format(" #{}", count);
  }
  return out;
}

const Equivalent* find_reason(const std::vector<Equivalent>& reasons, const std::string& name) {
  const auto found = std::find_if(reasons.begin(), reasons.end(),
                                  [&](const Equivalent& each) { return each.name == name; });
  return found != reasons.end() ? &*found : nullptr;
}

void record(const Equivalent* reason, const Change& change, bool killed, Tally& tally,
            Score& score) {
  ++tally.total;
  tally.killed += killed;
  tally.equivalent += reason != nullptr && !killed;
  if (killed && reason != nullptr) {
    score.findings.push_back(fmt::format(
        "\"{}\" is called equivalent, but noticed: take it out of {}", change.name, kReasonsFile));
  }
  if (!killed) score.survivors.push_back({change, reason != nullptr ? reason->why : ""});
}

// Reasons for what is not there any more. The shared ones may be another op's.
void find_stale(const std::vector<Change>& changes, const std::vector<Equivalent>& own,
                Score& score) {
  for (const Equivalent& each : own) {
    const bool tried = std::any_of(changes.begin(), changes.end(),
                                   [&](const Change& change) { return change.name == each.name; });
    if (tried) continue;
    score.findings.push_back(
        fmt::format("\"{}\" is called equivalent, but no such change is tried: take it out of {}",
                    each.name, kReasonsFile));
  }
}

}  // namespace

std::vector<Change> changes_of(const OpInfo& op, const std::vector<StoredCall>& calls) {
  std::vector<Change> out;
  add_deletions(op, out);
  add_swaps(op, out);
  const std::vector<Change> own = changes_in(op.name, Kind::kOwn);
  out.insert(out.end(), own.begin(), own.end());
  const std::vector<Change> common = changes_in("common", Kind::kCommon);
  for (const std::size_t i : reached_mutants(calls)) out.push_back(common[i]);
  return out;
}

std::vector<Change> unreached(const std::vector<std::vector<Change>>& of_ops) {
  std::vector<Change> out = changes_in("common", Kind::kCommon);
  for (const std::vector<Change>& reached : of_ops) {
    std::erase_if(out, [&reached](const Change& change) {
      return std::any_of(reached.begin(), reached.end(),
                         [&change](const Change& each) { return each.name == change.name; });
    });
  }
  return out;
}

bool is_noticed(const std::vector<StoredCall>& calls, const Change& change) {
  planted::active = change.planted;
  const bool noticed = !all_as_expected(calls);
  planted::active = {};
  return noticed;
}

Score score(const OpInfo& op, const std::vector<StoredCall>& calls, const Reasons& reasons) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Change> changes = changes_of(op, calls);
  const std::vector<Trial> trials =
      run_trials(changes.size(), [&](std::size_t i, std::atomic<std::uint32_t>& noticed) {
        noticed = is_noticed(calls, changes[i]);
      });
  Score out;
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Kind kind = changes[i].planted.kind;
    const bool killed = trials[i].end != Trial::End::kFinished || trials[i].value != 0;
    // What is shared may make no difference to one op alone.
    const Equivalent* reason = find_reason(reasons.own, changes[i].name);
    if (reason == nullptr && kind == Kind::kCommon) {
      reason = find_reason(reasons.common, changes[i].name);
    }
    if (reason != nullptr && kind == Kind::kDeletion) {
      out.findings.push_back(
          fmt::format("\"{}\" cannot be called equivalent: a rule that nothing "
                      "needs is no rule",
                      changes[i].name));
      reason = nullptr;
    }
    record(reason, changes[i], killed, kind == Kind::kDeletion ? out.deletions : out.others, out);
  }
  find_stale(changes, reasons.own, out);
  return out;
}

}  // namespace prelaunch::fuzz
