#include "fuzz/triage/bucket.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "fuzz/difference.h"
#include "fuzz/seeds.h"
#include "fuzz/triage/drawn_case.h"

namespace prelaunch::fuzz {
namespace {

// Properties of arguments, without how far they differ.
using Properties = std::set<std::pair<std::size_t, std::string>>;

Properties properties(const OpInfo& op, const Call& call) {
  Properties out;
  for (const Difference& each : differences(op, default_call(op), call)) {
    out.emplace(each.field, each.property);
  }
  for (std::size_t i = 0; i < op.fields.size(); ++i) {
    if (!call.values[i].tensor.fill.is_default()) out.emplace(i, "contents");
  }
  return out;
}

// What the stored edits that a rule with a hole lets through change, by rule.
using Holes = std::map<std::size_t, std::set<Properties>>;

Holes find_holes(const OpInfo& op) {
  std::vector<Trial> trials;
  for (const NamedCall& named : seeds(op)) {
    if (named.expect.verdict == Verdict::kReject) trials.push_back({named.call, named.expect});
  }
  Holes out;
  judge_each(op, trials, [&](std::size_t i, const Sighting& seen) {
    const bool hole = seen.reason == to_string(Reason::kAcceptedBadCall);
    if (hole) out[seen.rule].insert(properties(op, trials[i].call));
    return true;
  });
  return out;
}

const Holes& holes_of(const OpInfo& op) {
  static std::map<const OpInfo*, Holes> known;
  const auto [entry, added] = known.try_emplace(&op);
  if (added) entry->second = find_holes(op);
  return entry->second;
}

// The rule whose hole lets the call of a fault through, or kNoRule.
std::size_t hole_behind(const OpInfo& op, const Call& call) {
  const Properties changed = properties(op, call);
  for (const auto& [rule, edits] : holes_of(op)) {
    if (edits.contains(changed)) return rule;
  }
  return kNoRule;
}

std::string other_way(const Bucket& bucket) {
  const std::string where =
      bucket.seen.frames.empty() ? "" : fmt::format(" in {}", bucket.seen.frames.front());
  return fmt::format("{}{}: {}", bucket.seen.reason, where, bucket.seen.detail);
}

// What is told of a bug first: that a verdict is wrong, and of verdicts that a bad call passes.
int rank(const Bucket& bucket) {
  if (!bucket.reproduced) return 4;
  if (bucket.seen.reason == to_string(Reason::kAcceptedBadCall)) return 0;
  if (bucket.seen.reason == to_string(Reason::kRejectedGoodCall)) return 1;
  return bucket.seen.is_about_verdict() ? 2 : 3;
}

void absorb(Bucket& bucket, const Bucket& other) {
  bucket.findings.insert(bucket.findings.end(), other.findings.begin(), other.findings.end());
  std::vector<std::string> ways = other.also;
  if (!same_sighting(bucket.seen, other.seen)) ways.insert(ways.begin(), other_way(other));
  for (const std::string& way : ways) {
    const bool known = std::find(bucket.also.begin(), bucket.also.end(), way) != bucket.also.end();
    if (!known) bucket.also.push_back(way);
  }
}

// Joins two buckets: the first in rank, then the one with the smaller call, tells of both.
void join(Bucket& bucket, Bucket other) {
  const auto key = [](const Bucket& b) {
    return std::pair(rank(b), size_of(*b.op, b.smallest.call));
  };
  if (key(other) < key(bucket)) std::swap(bucket, other);
  absorb(bucket, other);
}

Bucket as_seen(const Case& each) {
  Bucket out;
  out.op = each.op;
  out.smallest = each.trial;
  out.findings = {each.finding.id};
  out.seen = judge_one(*each.op, each.trial);
  out.reproduced = out.seen.is_finding();
  if (!out.reproduced) {
    out.seen = {
        each.finding.reason, rule_index(*each.op, each.finding.rule), each.finding.detail, {}};
  }
  return out;
}

class Sorter {
 public:
  // Puts it where the same is seen already.
  void add(const Case& each) {
    Bucket bucket = as_seen(each);
    const auto same = std::find_if(buckets_.begin(), buckets_.end(), [&](const Bucket& other) {
      return other.op == bucket.op && other.reproduced == bucket.reproduced &&
             same_sighting(other.seen, bucket.seen);
    });
    if (same == buckets_.end()) return buckets_.push_back(std::move(bucket));
    join(*same, std::move(bucket));
  }

  std::size_t size() const { return buckets_.size(); }
  void shrink_call(std::size_t i) {
    Bucket& bucket = buckets_[i];
    if (!bucket.reproduced) return;
    bucket.smallest = shrink(*bucket.op, bucket.smallest, bucket.seen);
    bucket.seen = judge_one(*bucket.op, bucket.smallest);
  }

  std::vector<Bucket> take() {
    join_same_bugs();
    for (Bucket& bucket : buckets_) bucket.id = bucket_id(*bucket.op, bucket.seen);
    std::sort(buckets_.begin(), buckets_.end(), [](const Bucket& a, const Bucket& b) {
      return std::pair(rank(a), a.id) < std::pair(rank(b), b.id);
    });
    return std::move(buckets_);
  }

 private:
  // The rule to blame for what is seen, itself or by its hole.
  static std::size_t rule_behind(const Bucket& bucket) {
    if (!bucket.reproduced) return kNoRule;
    if (bucket.seen.is_about_verdict()) return bucket.seen.rule;
    return hole_behind(*bucket.op, bucket.smallest.call);
  }
  static bool same_rule(const Bucket& a, const Bucket& b) {
    if (a.op != b.op) return false;
    const std::size_t rule = rule_behind(a);
    return rule != kNoRule && rule == rule_behind(b);
  }

  void join_same_bugs() {
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      for (std::size_t j = buckets_.size(); j-- > i + 1;) {
        const bool same =
            same_rule(buckets_[i], buckets_[j]) || same_cause(buckets_[i], buckets_[j]);
        if (!same) continue;
        join(buckets_[i], std::move(buckets_[j]));
        buckets_.erase(buckets_.begin() + static_cast<std::ptrdiff_t>(j));
      }
    }
  }
  // A bug that faults in one call may spoil the result of another: they are one where the same
  // properties provoke it. Of bugs that show in the default call that says nothing, and what tells
  // them apart is where they fault.
  bool same_cause(const Bucket& a, const Bucket& b) {
    if (a.op != b.op || !is_of_kernel(a) || !is_of_kernel(b)) return false;
    const Properties& cause = cause_of(a);
    if (cause != cause_of(b)) return false;
    return !cause.empty() || a.seen.frames.empty() == b.seen.frames.empty();
  }
  static bool is_of_kernel(const Bucket& bucket) {
    return bucket.reproduced && !bucket.seen.is_about_verdict() && bucket.seen.reason != "timeout";
  }
  const Properties& cause_of(const Bucket& bucket) {
    const auto [entry, added] = causes_.try_emplace(bucket_id(*bucket.op, bucket.seen));
    if (added) {
      entry->second = properties(*bucket.op, provoke(*bucket.op, bucket.smallest).call);
    }
    return entry->second;
  }

  std::map<std::string, Properties> causes_;  // by bucket
  std::vector<Bucket> buckets_;
};

std::string wrong_verdict(const Bucket& bucket) {
  const bool known = bucket.seen.rule != kNoRule;
  const std::string rule = known ? numbered_id(*bucket.op, bucket.seen.rule) : "no known rule";
  if (bucket.seen.reason == to_string(Reason::kAcceptedBadCall)) {
    return !known ? "accepts a bad call" : fmt::format("accepts what {} must reject", rule);
  }
  if (bucket.seen.reason == to_string(Reason::kRejectedGoodCall)) {
    return fmt::format("rejects a good call by {}", rule);
  }
  return fmt::format("does not tell the right cause, {}", bucket.seen.detail);
}

std::string describe_fill(const Fill& fill) {
  std::string out = fill.kind == Fill::Kind::kNumber  ? fmt::format("{}", fill.number)
                    : fill.kind == Fill::Kind::kBytes ? "random bytes"
                                                      : "ordinary values";
  for (std::size_t i = 0; i < fill.count; ++i) {
    out += fmt::format(", {} at {}", fill.at[i].number, fill.at[i].element);
  }
  return out;
}

// "write_pos holds ordinary values, 8 at 0"
std::string describe_contents(const OpInfo& op, const Call& call) {
  std::string out;
  for (std::size_t i = 0; i < op.fields.size(); ++i) {
    const Fill& fill = call.values[i].tensor.fill;
    if (call.values[i].absent || fill.is_default()) continue;
    out += fmt::format("{}{} holds {}", out.empty() ? "" : ", ", op.fields[i].name,
                       describe_fill(fill));
  }
  return out;
}

// Differences from the default call that fit into one line; the call itself has them all.
constexpr std::size_t kMostTold = 8;

std::string what_is_wrong(const Bucket& bucket) {
  if (bucket.seen.is_about_verdict()) return wrong_verdict(bucket);
  return fmt::format("{}: {}", bucket.seen.reason, bucket.seen.detail);
}

}  // namespace

std::vector<Bucket> sort_into_buckets(const std::vector<Case>& cases, const OnProgress& progress) {
  Sorter sorter;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    progress("judging finding", i, cases.size());
    sorter.add(cases[i]);
  }
  for (std::size_t i = 0; i < sorter.size(); ++i) {
    progress("shrinking call", i, sorter.size());
    sorter.shrink_call(i);
  }
  return sorter.take();
}

std::string describe_bucket(const Bucket& bucket) {
  const std::string wrong = fmt::format("{} {}", bucket.op->name, what_is_wrong(bucket));
  if (!bucket.reproduced) return wrong + " (did not show again)";
  auto changed = differences(*bucket.op, default_call(*bucket.op), bucket.smallest.call);
  const std::size_t more = changed.size() - std::min(changed.size(), kMostTold);
  changed.resize(changed.size() - more);
  const std::string contents = describe_contents(*bucket.op, bucket.smallest.call);
  if (changed.empty() && contents.empty()) return wrong + " (in the default call)";
  const std::string_view comma = changed.empty() || contents.empty() ? "" : ", ";
  const std::string rest = more == 0 ? "" : fmt::format(" and {} more", more);
  return fmt::format("{}; {}{}{}{}", wrong, to_string(*bucket.op, changed), rest, comma, contents);
}

}  // namespace prelaunch::fuzz
