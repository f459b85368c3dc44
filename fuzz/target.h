// A libFuzzer target of one op:
//
//   PRELAUNCH_FUZZ_TARGET(prelaunch::ulysses_pack::Op, prelaunch::ulysses_pack::Cases)
//
// One source gives two binaries: <op>_validate_fuzzer, with no kernel run, and <op>_execute_fuzzer.
// The property: every bad call is rejected before any launch, and every good call is accepted and
// computed right. A violation ends the process with a report.
#pragma once

#include "fuzz/codec.h"
#include "fuzz/describe.h"
#include "fuzz/mutate.h"
#include "fuzz/self_test.h"
#include "fuzz/stats.h"

namespace prelaunch::fuzz {

// Of this binary; see profile.cc.
extern const Profile kProfile;
// Elements that one input may make a kernel copy: keeps an execution well under a millisecond.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 13;

// Prints the finding as one line that the campaign reads, and ends the process.
[[noreturn]] void report_finding(const OpInfo& op, const Expectation& expect,
                                 const Judgement& judgement);

// Judges one input. Returns 0, or does not return.
int run_input(const OpInfo& op, std::span<const std::uint8_t> bytes, Profile profile);

}  // namespace prelaunch::fuzz

// The entry points: the first two are every engine's, the others are for engines that ask a target
// to mutate its inputs. Declared so that they may be defined.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed);
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                 const std::uint8_t* second,
                                                 std::size_t second_size, std::uint8_t* out,
                                                 std::size_t max_size, unsigned seed);

#define PRELAUNCH_FUZZ_TARGET(OpType, CasesType)                                                \
  static const prelaunch::fuzz::OpInfo& target_op() {                                           \
    return prelaunch::fuzz::describe<OpType, CasesType>();                                      \
  }                                                                                             \
  extern "C" int LLVMFuzzerInitialize(int*, char***) {                                          \
    prelaunch::fuzz::self_test_if_asked(target_op(), prelaunch::fuzz::kProfile);                \
    return 0;                                                                                   \
  }                                                                                             \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {           \
    return prelaunch::fuzz::run_input(target_op(), {data, size}, prelaunch::fuzz::kProfile);    \
  }                                                                                             \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,          \
                                                 std::size_t max_size, unsigned seed) {         \
    return prelaunch::fuzz::mutate(target_op(), data, size, max_size, seed);                    \
  }                                                                                             \
  extern "C" std::size_t LLVMFuzzerCustomCrossOver(                                             \
      const std::uint8_t* first, std::size_t first_size, const std::uint8_t* second,            \
      std::size_t second_size, std::uint8_t* out, std::size_t max_size, unsigned seed) {        \
    return prelaunch::fuzz::cross_over(target_op(), {first, first_size}, {second, second_size}, \
                                       {out, max_size}, seed);                                  \
  }
