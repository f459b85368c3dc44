// Where a result comes from: what every result file carries, and what names its folder.
#pragma once

#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>

namespace prelaunch {

struct Provenance {
  std::string commit;  // 40 hex digits; "unknown" outside a git checkout
  bool dirty = false;  // tracked files differ from the commit
  std::string machine, cpu;
  unsigned cores = 0;
  std::string compiler, flags, build_type, sanitizers;  // of this build
  std::string started;                                  // now, in UTC: "2026-11-30T02:15:00Z"
};

// Asks git about the checkout at `root`, the system, and the build. Never fails.
Provenance read_provenance(const std::filesystem::path& root);

// $PRELAUNCH_ROOT, or the current folder: the checkout that a tool works on.
std::filesystem::path checkout();

// Where a run goes when --out does not say: <runs>/<date>-<machine>-<commit>, of now, this machine
// and the commit checked out in `root`. <runs> is $PRELAUNCH_RUNS, or <root>/reports/runs.
std::filesystem::path default_run_folder(const std::filesystem::path& root);

// Its name: "2026-11-30-021500-lab1-3f9ac21b77de". Of the machine's name, what is not a letter,
// digit,
// '_' or '-' becomes '-'; a commit that is no id becomes "nocommit".
std::string run_name(std::time_t now, std::string_view machine, std::string_view commit);

}  // namespace prelaunch
