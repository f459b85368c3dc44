// What a target's binary is made of.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/conform/build.h"

namespace prelaunch::fuzz {

struct Binary {
  std::map<std::string, int, std::less<>> calls;  // of runtimes: "__asan", "__ubsan", "__msan"
  std::set<std::string> libraries;                // that it needs at run time
  std::string main_file;    // source that main() was compiled from; empty for an engine's
  bool has_target = false;  // LLVMFuzzerTestOneInput
};

// Counts the call instructions of a disassembly (objdump -d) by the runtime that they call.
std::map<std::string, int, std::less<>> count_calls(std::string_view disassembly);
// The libraries of `llvm-readelf -d`.
std::set<std::string> needed_libraries(std::string_view dynamic_section);

// Looks at `program` with LLVM's tools; throws FileError where one of them fails. `scratch` is an
// existing folder.
Binary inspect(const std::filesystem::path& program, const std::filesystem::path& scratch);

// What is wrong with it in a build of this kind; nothing when all is well. The bounds are those by
// which OSS-Fuzz tells a sanitized build from another.
std::vector<std::string> check_binary(const Binary& binary, const BuildKind& kind);

}  // namespace prelaunch::fuzz
