// What every run of a fuzzer shares, whether it fuzzes or merges: its program, limits, environment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

// An input may take this long.
inline constexpr int kInputSeconds = 25;
// Fuzzers make no larger inputs.
inline constexpr std::size_t kMaxInputBytes = 1024;

// What drives the targets; each has its own build of them.
enum class EngineKind : std::uint8_t { kLibFuzzer, kAfl };
// "libfuzzer" or "afl".
std::string_view to_string(EngineKind engine);
// Of such a word; nothing for any other.
std::optional<EngineKind> engine_named(std::string_view word);

// "<op>_<profile>": what names a target's program, corpus and logs.
std::string target_name(const OpInfo& op, Profile profile);
// The program, among those in `programs`.
std::filesystem::path fuzzer_program(const std::filesystem::path& programs, const OpInfo& op,
                                     Profile profile);
bool is_executable(const std::filesystem::path& program);

// The options that bound what one input may take.
std::vector<std::string> fuzzer_limits();
// What reports on standard error need.
std::vector<std::pair<std::string, std::string>> fuzzer_environment();

// "signal 9" or "exit code 1", of a wait status.
std::string how_it_ended(int status);

}  // namespace prelaunch::fuzz
