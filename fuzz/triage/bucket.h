// Findings that show one bug.
#pragma once

#include "fuzz/campaign/campaign.h"
#include "fuzz/triage/shrink.h"

namespace prelaunch::fuzz {

// A finding of a campaign, with the call that showed it.
struct Case {
  const OpInfo* op = nullptr;
  Finding finding;
  Trial trial;
};

struct Bucket {
  std::string id;  // see bucket_id(); the same bug has the same in every campaign
  const OpInfo* op = nullptr;
  Sighting seen;  // of the smallest call, or, where it is not reproduced, as the campaign saw it
  Trial smallest;
  bool reproduced = true;
  std::vector<std::string> findings;  // their ids
  std::vector<std::string> also;      // other ways in which the bug shows, a line each
};

// Told what is done to which of how many, before it is.
using OnProgress = std::function<void(const char* what, std::size_t index, std::size_t count)>;

// Judges each finding's call again, makes the smallest of those that show the same as small as it
// gets, and puts those together that show one bug:
//   by what is seen    op, reason, the rule to blame, the op's functions on the stack
//   by rule            one rule's wrong verdicts are one bug, whether it accepts, or another fires
//   by hole            a fault or a wrong result of a call that differs from the default one in
//                      what a rule with a hole is about
//   by cause           faults and wrong results that the same properties provoke: those in which
//                      the smallest call that shows any of them differs from the default one
// Throws as judge_each() does.
std::vector<Bucket> sort_into_buckets(const std::vector<Case>& cases, const OnProgress& progress);

// What is wrong, and in which call, in one line: "ulysses_pack accepts what
// ulysses_pack.qkv.cuda must reject: q.device: cuda:0 -> cpu".
std::string describe_bucket(const Bucket& bucket);

}  // namespace prelaunch::fuzz
