#include "fuzz/proof/search.h"

#include <fmt/format.h>

#include <map>

#include "fuzz/codec.h"
#include "fuzz/edit.h"
#include "fuzz/proof/trials.h"
#include "fuzz/seeds.h"

namespace prelaunch::fuzz {
namespace {

constexpr JudgeOptions kAsked{.profile = Profile::kValidate, .explain = Explain::kNever};
constexpr std::uint32_t kCandidates = 60'000;

// Number `seed` of the candidates. Those of the first half are one edit away from a stored call.
Call candidate(const OpInfo& op, const std::vector<StoredCall>& calls, std::uint32_t seed) {
  Choices choose(std::uint64_t{seed});
  Call call = calls[choose.below(calls.size())].named.call;
  edit_once(op.fields, call, choose);
  if (seed > kCandidates / 2) edit_once(op.fields, call, choose);
  canonical(op, call);
  return call;
}

bool tells_apart(const OpInfo& op, const Call& call, const Change& change) {
  planted::active = {};
  const Judgement before = op.judge(call, {}, kAsked);
  planted::active = change.planted;
  const Judgement after = op.judge(call, {}, kAsked);
  return after.rule != before.rule || after.argument != before.argument;
}

// Writes to `value` the number of the candidate that is tried; leaves it there when it is the one.
void search(const OpInfo& op, const std::vector<StoredCall>& calls, const Change& change,
            std::vector<std::uint32_t>& chosen, std::atomic<std::uint32_t>& value) {
  const auto serves = [&](std::uint32_t seed) {
    value = seed;
    return tells_apart(op, candidate(op, calls, seed), change);
  };
  for (const std::uint32_t seed : chosen) {
    if (serves(seed)) return;
  }
  for (std::uint32_t seed = 1; seed <= kCandidates; ++seed) {
    if (!serves(seed)) continue;
    chosen.push_back(seed);
    return;
  }
  value = 0;
}

// "out.size-constant", of a change's name.
std::string file_name(const Change& change) {
  const std::string& name = change.name;
  const std::size_t colon = name.find(": "), blank = name.find(' ', colon + 2);
  if (colon == name.npos) return slug(name.substr(name.find('.') + 1, name.find(' ')));
  return slug(name.substr(0, colon) + "-" + name.substr(colon + 2, blank - colon - 2));
}

}  // namespace

std::vector<NamedCall> find_calls(const OpInfo& op, const std::vector<StoredCall>& calls,
                                  const std::vector<Change>& changes) {
  std::vector<std::uint32_t> chosen;
  const std::vector<Trial> trials =
      run_trials(changes.size(), [&](std::size_t i, std::atomic<std::uint32_t>& value) {
        search(op, calls, changes[i], chosen, value);
      });
  std::map<std::uint32_t, NamedCall> found;
  std::map<std::string, std::size_t> names;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::uint32_t seed = trials[i].value;
    if (seed == 0 || found.contains(seed)) continue;
    NamedCall named;
    named.call = candidate(op, calls, seed);
    named.name = numbered(file_name(changes[i]), ++names[file_name(changes[i])]);
    named.why = "tells it from " + changes[i].name;
    const Judgement judgement = op.judge(named.call, {}, kAsked);
    named.expect = {judgement.accepted ? Verdict::kAccept : Verdict::kReject, judgement.rule, false,
                    judgement.argument};
    found.emplace(seed, std::move(named));
  }
  std::vector<NamedCall> out;
  for (auto& [seed, named] : found) out.push_back(std::move(named));
  return out;
}

}  // namespace prelaunch::fuzz
