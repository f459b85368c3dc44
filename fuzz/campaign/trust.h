// What must hold for a campaign's results to mean anything, beside what its targets say.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace prelaunch::fuzz {

// What is wrong with a program that a build has made: "ulysses_pack_validate_fuzzer is older than
// fuzz/target.cc: build again". Its sources are those that ninja knows, from the build folder that
// it lies in; of one that lies in none (it was brought from elsewhere) nothing is known.
std::optional<std::string> stale(const std::filesystem::path& program);

// Runs each program's self-test (fuzz/self_test.h), as many at a time as `jobs`; what failed, a
// sentence each. Ends early at an interrupt.
std::vector<std::string> failed_self_tests(const std::vector<std::filesystem::path>& programs,
                                           unsigned jobs, const std::filesystem::path& logs);

// Whether the two clocks went on together. Fuzzers measure their time by the one that people set.
class Clocks {
 public:
  using System = std::chrono::system_clock::time_point;
  using Steady = std::chrono::steady_clock::time_point;

  Clocks(System system, Steady steady) : system_(system), steady_(steady) {}
  Clocks() : Clocks(std::chrono::system_clock::now(), std::chrono::steady_clock::now()) {}

  // "the clock was set back by 3600 s while the campaign ran"
  std::optional<std::string> doubt(System system, Steady steady) const;
  std::optional<std::string> doubt() const {
    return doubt(std::chrono::system_clock::now(), std::chrono::steady_clock::now());
  }

 private:
  System system_;
  Steady steady_;
};

// With less room than this a fuzzer's writes may fail, and it goes on as if they had not.
inline constexpr std::uintmax_t kLeastRoom = std::uintmax_t{4} << 20;
// "the disk of <folder> is full (12 kB left): what is found there is lost"
std::optional<std::string> full_disk(const std::filesystem::path& folder);

}  // namespace prelaunch::fuzz
