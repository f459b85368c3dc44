// The mutation score of an op's contract: how many small changes of its source its corpus notices.
#pragma once

#include <string>
#include <vector>

#include "fuzz/campaign/replay.h"
#include "fuzz/proof/planted.h"

namespace prelaunch::fuzz {

// A change of a contract: a mutant of its sources, a rule left out, or two that changed places.
struct Change {
  planted::Planted planted;
  // What a person looks for it by, unique in its op: "q.rank: constant 3 -> 3 + 1".
  std::string name;
  std::string file;
  unsigned line = 0;
};

// Why a change makes no difference that a call could show. Lists of them stand beside the
// contracts, in equivalent_mutants.json: {"<name of the change>": "<why>", ..}.
inline constexpr std::string_view kReasonsFile = "equivalent_mutants.json";
struct Equivalent {
  std::string name, why;
};

struct Survivor {
  Change change;
  std::string why;  // empty where no reason is recorded
};

struct Tally {
  std::size_t total = 0, killed = 0, equivalent = 0;
};

struct Score {
  Tally deletions, others;
  double seconds = 0;
  std::vector<Survivor> survivors;
  // What makes the result a finding beside survivors without a reason: reasons that are out of
  // date.
  std::vector<std::string> findings;
};

// All changes that are tried on an op: deletions first. Mutants of the shared headers that `calls`
// do not reach are none of its contract's.
std::vector<Change> changes_of(const OpInfo& op, const std::vector<StoredCall>& calls);

// Those of the shared headers' changes that are not among an op's: what no stored call comes by.
std::vector<Change> unreached(const std::vector<std::vector<Change>>& of_ops);

// Whether any of the calls is judged otherwise than expected while the change is active. May end
// the process, which is noticing too.
bool is_noticed(const std::vector<StoredCall>& calls, const Change& change);

// Reasons for an op's own changes, and for those of what all contracts share.
struct Reasons {
  std::vector<Equivalent> own, common;
};

// Precondition: without a change all are judged as expected (misjudged() in corpus.h).
Score score(const OpInfo& op, const std::vector<StoredCall>& calls, const Reasons& reasons);

}  // namespace prelaunch::fuzz
