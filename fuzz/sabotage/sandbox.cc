#include "fuzz/sabotage/sandbox.h"

#include <fmt/format.h>

#include <fstream>
#include <map>

#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

void link(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::remove(from, error);
  fs::create_symlink(to, from, error);
  if (error) throw FileError(fmt::format("{}: cannot link: {}", from.string(), error.message()));
}

int parent_of(int pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(in, line);
  const std::size_t name_end = line.rfind(')');  // a name may hold anything
  int parent = 0;
  char state = 0;
  if (name_end == line.npos ||
      std::sscanf(line.c_str() + name_end + 1, " %c %d", &state, &parent) != 2) {
    return 0;
  }
  return parent;
}

}  // namespace

Sandbox::Sandbox(const fs::path& root, const NightPrograms& programs) : programs_(programs) {
  for (const char* folder : {"root/corpus/.work", "root/fuzz", "root/reports/runs", "targets"}) {
    make_folder(folder_.path() / folder);
  }
  for (const char* part : {".git", "kernels"}) link(this->root() / part, root / part);
  fs::copy(root / "corpus" / "ulysses_pack", corpus(), fs::copy_options::recursive);
  write_file(ledger(), R"({"schema": "prelaunch.ledger/1", "known": []})");
  for (const char* profile : {"validate", "execute"}) {
    link(target(profile), programs.targets / fmt::format("ulysses_pack_{}_fuzzer", profile));
  }
  set("PRELAUNCH_ROOT", this->root().string());
  set("PRELAUNCH_FUZZERS", (folder_.path() / "targets").string());
}

fs::path Sandbox::target(const std::string& profile) const {
  return folder_.path() / "targets" / fmt::format("ulysses_pack_{}_fuzzer", profile);
}

void Sandbox::replace_target(const std::string& profile, const fs::path& program) const {
  link(target(profile), program);
}

void Sandbox::plant(const std::string& planted) {
  const fs::path proof = programs_.targets / "proof";
  for (const char* profile : {"validate", "execute"}) {
    fs::remove(target(profile));
    write_file(target(profile),
               fmt::format("#!/bin/sh\nPRELAUNCH_PROFILE={} exec '{}' \"$@\"\n", profile,
                           (proof / "ulysses_pack_planted_fuzzer").string()));
    fs::permissions(target(profile), fs::perms::owner_all);
  }
  set("PRELAUNCH_PLANTED", planted);
  set("PRELAUNCH_CAMPAIGN", (proof / "prelaunch-planted-campaign").string());
  set("PRELAUNCH_TRIAGE", (proof / "prelaunch-planted-triage").string());
}

void Sandbox::set(const std::string& name, const std::string& value) {
  environment_.emplace_back(name, value);
}

std::vector<std::string> Sandbox::command(std::chrono::seconds budget) const {
  return {programs_.nightly.string(),
          "--ops",
          "ulysses_pack",
          "--seed",
          "1",
          "--jobs",
          "2",
          "--budget",
          fmt::format("{}s", budget.count()),
          "--out",
          out().string()};
}

std::vector<int> descendants(int pid) {
  std::multimap<int, int> children;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const int child = std::atoi(entry.path().filename().c_str());
    if (child > 0) children.emplace(parent_of(child), child);
  }
  std::vector<int> out, next = {pid};
  while (!next.empty()) {
    const int parent = next.back();
    next.pop_back();
    const auto [first, last] = children.equal_range(parent);
    for (auto child = first; child != last; ++child) {
      out.push_back(child->second);
      next.push_back(child->second);
    }
  }
  return out;
}

fs::path program_of(int pid) {
  std::error_code error;
  return fs::read_symlink(fmt::format("/proc/{}/exe", pid), error);
}

}  // namespace prelaunch::fuzz
