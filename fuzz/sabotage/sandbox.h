// A checkout of its own for a night that is to go wrong: links to the real one but for what a night
// writes and what is broken on purpose.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/temp_folder.h"

namespace prelaunch::fuzz {

// The programs that a night needs.
struct NightPrograms {
  std::filesystem::path nightly;
  std::filesystem::path targets;  // the folder of the fuzz targets; sabotage/ in it
};

class Sandbox {
 public:
  // Of the checkout `root`, for ulysses_pack. Throws FileError.
  Sandbox(const std::filesystem::path& root, const NightPrograms& programs);

  std::filesystem::path root() const { return folder_ / "root"; }
  std::filesystem::path corpus() const { return root() / "corpus" / "ulysses_pack"; }
  std::filesystem::path work() const { return root() / "corpus" / ".work"; }
  std::filesystem::path ledger() const { return root() / "fuzz" / "ledger.json"; }
  std::filesystem::path target(const std::string& profile) const;
  // Each night's own.
  std::filesystem::path out() const { return folder_ / "out"; }
  std::filesystem::path log() const { return folder_ / "log"; }

  // Puts another program in a target's place.
  void replace_target(const std::string& profile, const std::filesystem::path& program) const;
  // Plants a bug (fuzz/proof/planted.h) that fuzzers, campaign and triage see.
  void plant(const std::string& planted);
  void set(const std::string& name, const std::string& value);

  const NightPrograms& programs() const { return programs_; }
  // The command line and environment of a night.
  std::vector<std::string> command(std::chrono::seconds budget) const;
  const std::vector<std::pair<std::string, std::string>>& environment() const {
    return environment_;
  }

 private:
  TempFolder folder_;
  const NightPrograms& programs_;
  std::vector<std::pair<std::string, std::string>> environment_;
};

// Processes that `pid` started, and those that they did.
std::vector<int> descendants(int pid);
// The program that a process runs, or empty.
std::filesystem::path program_of(int pid);

}  // namespace prelaunch::fuzz
