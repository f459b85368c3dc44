// Where a campaign ran: what every result file carries.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace prelaunch::fuzz {

struct Context {
  std::string commit;  // "unknown" outside a git checkout
  bool dirty = false;  // tracked files differ from the commit
  std::string machine, cpu;
  unsigned cores = 0;
  std::string compiler, flags, sanitizers;
  std::uint64_t seed = 0;
  std::string started;  // UTC, ISO 8601
};

// Asks git about the checkout at `root`, the system, and the build.
Context read_context(const std::filesystem::path& root, std::uint64_t seed);

}  // namespace prelaunch::fuzz
