// Findings that one lives with for a while: fuzz/ledger.json.
//
//   {"schema": "prelaunch.ledger/1", "known": [
//     {"bucket": "ulysses_pack-wrong_result-0badcafe",   what `prelaunch triage` calls the bug
//      "state": "tolerated",
//      "reference": "https://example.org/issues/12",      where it is looked after
//      "call": {"op": "ulysses_pack", ...}}]}             a call that shows it:
//      triage/<bucket>.json
//
//   tolerated     the call is judged by every campaign. As long as it shows the bug, this and other
//                 findings of the bug are known ones; when it no longer does, that is a finding.
//   quarantined   the call is never judged, nor is any other call that is like it: by the
//   campaign's
//                 replay, its fuzzers, or for the ledger's sake. Like it is a call that agrees with
//                 it in each of "where": ["q.dtype", "out.shape[1]", "world_size.value"]; without
//                 "where", in everything but what the memory holds.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/campaign/sighting.h"
#include "fuzz/quarantine.h"

namespace prelaunch::fuzz {

// Larger files are refused before they are parsed.
inline constexpr std::size_t kMaxLedgerBytes = std::size_t{1} << 20;

struct KnownFinding {
  std::string bucket;
  const OpInfo* op = nullptr;
  bool quarantined = false;  // or tolerated
  std::string reference;     // one line
  Trial trial;
  std::vector<std::string> where;  // of a quarantined one: "q.dtype"
};

using Ledger = std::vector<KnownFinding>;

// Throws FileError: one that is not there, or not as above.
Ledger read_ledger(const std::filesystem::path& file);
// The same for its text. Throws JsonError.
Ledger parse_ledger(std::string_view text);

// Calls of this op that are not to be run.
std::vector<Quarantine> quarantine_of(const Ledger& ledger, const OpInfo& op);

}  // namespace prelaunch::fuzz
