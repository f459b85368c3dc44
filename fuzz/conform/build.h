// The builds that clusters make of the fuzz targets: by the one build script, with the compiler,
// the flags and the engine that each cluster's images set.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/campaign/command.h"

namespace prelaunch::fuzz {

struct BuildKind {
  std::string_view name;       // what --builds takes
  std::string_view engine;     // "libfuzzer" or "afl"
  std::string_view sanitizer;  // "address", "undefined" or "coverage"
  std::string_view library;    // of C++: "libstdc++" or "libc++"
  std::string_view cxx;
  std::string_view flags;  // of this kind; common ones are added
  std::string_view link;   // $LIB_FUZZING_ENGINE; empty: the hermetic libFuzzer, which is made
  // What targets of this kind run with.
  std::string_view option = {}, option_value = {};
};

std::span<const BuildKind> build_kinds();

// One build: its folders, all below `base`.
struct Build {
  const BuildKind& kind;
  std::filesystem::path source;  // a checkout; only read
  std::filesystem::path base;

  std::filesystem::path log() const { return base / "build.log"; }
};

// The targets that a checkout promises: two for each fuzz/<op>_fuzzer.cc. Throws FileError.
std::vector<std::string> promised_targets(const std::filesystem::path& source);

// Engines that no package brings.
struct Engines {
  std::filesystem::path hermetic;  // the script that makes a libFuzzer for any C++ library
  std::filesystem::path strict;    // source of the strict engine, or empty: not to be linked
};

// What build() leaves.
struct Built {
  std::filesystem::path out;     // the outputs, in a folder of a random name
  std::filesystem::path strict;  // the same with the strict engine; empty where it is not asked for
  std::string failure;           // why there is nothing, in one line; empty when there is
};

// Copies the checkout into a clean folder, runs its build script, moves what it put into $OUT and
// removes everything else. Throws Interrupted, FileError.
Built build(const Build& build, const Engines& engines);

}  // namespace prelaunch::fuzz
