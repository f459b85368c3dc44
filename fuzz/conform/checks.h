// Everything that is asked of one target of a build.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/conform/build.h"

namespace prelaunch::fuzz {

// A target where it lies after the move, with a folder of its own to work in.
struct Subject {
  const BuildKind& kind;
  std::string target;
  std::filesystem::path out, strict, scratch;
};

// The programs that check() and build() run.
std::vector<std::string> needed_programs(const BuildKind& kind);

// What is wrong with it, one sentence each; nothing when it conforms. Throws Interrupted, and
// FileError when a tool that is needed is missing or fails.
std::vector<std::string> check(const Subject& subject);

}  // namespace prelaunch::fuzz
