// Where a run goes when --out does not say.
#pragma once

#include <ctime>
#include <filesystem>
#include <string>

namespace prelaunch::reports {

// Every character outside [A-Za-z0-9_-] as '-'; "unknown" for an empty name.
std::string sanitise_machine(std::string_view hostname);

// The first 12 hex digits of a commit id as git prints it; "nocommit" for any other text.
std::string short_commit(std::string_view printed);

// "2026-11-30-021500", UTC.
std::string date_text(std::time_t now);

// <root>/reports/runs/<date>-<machine>-<commit>, of this machine and the commit checked out in
// `root`.
std::filesystem::path default_run_folder(const std::filesystem::path& root, std::time_t now);

}  // namespace prelaunch::reports
