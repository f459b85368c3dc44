// A target that goes wrong in the way that PRELAUNCH_DOCTORED names, to see whether the campaign
// notices. Linked with --wrap, so that what it is made of is that of any other target.
#include <cstdlib>
#include <string_view>
#include <vector>

#include "fuzz/target.h"
#include "kernels/ulysses_pack/cases.h"
#include "kernels/ulysses_pack/contract.h"

namespace prelaunch {
namespace {

using Op = ulysses_pack::Op;
using Cases = ulysses_pack::Cases;

bool is_doctored(std::string_view way) {
  static const char* const given = std::getenv("PRELAUNCH_DOCTORED");
  return given != nullptr && given == way;
}
// Ways that only show when there is something to do.
bool is_at_work() { return std::getenv("PRELAUNCH_SELF_TEST") == nullptr; }

const fuzz::OpInfo& genuine() { return fuzz::describe<Op, Cases>(); }

fuzz::Judgement judge(const Call& call, const Expectation& expect,
                      const fuzz::JudgeOptions& options) {
  fuzz::Judgement judgement = genuine().judge(call, expect, options);
  if (is_doctored("swallowing")) judgement.reason = fuzz::Reason::kNone;
  return judgement;
}

Expectation generate(Choices& choose, Call& call) {
  Choices same(std::uint64_t{0});
  return genuine().generate(is_doctored("stuck") && is_at_work() ? same : choose, call);
}

const fuzz::OpInfo& doctored() {
  static const fuzz::OpInfo op = [] {
    fuzz::OpInfo out = genuine();
    out.judge = &judge;
    out.generate = &generate;
    return out;
  }();
  return op;
}

// 256 MiB an execution, of which every page is used: the limit is reached after a dozen, on a busy
// machine too.
void hoard() {
  constexpr std::size_t kBytes = std::size_t{256} << 20, kPage = 4096;
  static std::vector<char*> kept;
  kept.push_back(new char[kBytes]);
  for (std::size_t at = 0; at < kBytes; at += kPage) kept.back()[at] = 'x';
}

}  // namespace
}  // namespace prelaunch

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  prelaunch::fuzz::self_test_if_asked(prelaunch::doctored(), prelaunch::fuzz::kProfile);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (prelaunch::is_doctored("idle")) return 0;
  if (prelaunch::is_doctored("hoarding")) prelaunch::hoard();
  return prelaunch::fuzz::run_input(prelaunch::doctored(), {data, size}, prelaunch::fuzz::kProfile);
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  return prelaunch::fuzz::mutate(prelaunch::doctored(), data, size, max_size, seed);
}

// --- what the linker puts in place of the genuine functions
// ---------------------------------------

// Of prelaunch::door::counts().
prelaunch::door::Counts genuine_counts() asm("__real__ZN9prelaunch4door6countsEv");
prelaunch::door::Counts counts_or_none() asm("__wrap__ZN9prelaunch4door6countsEv");
prelaunch::door::Counts counts_or_none() {
  return prelaunch::is_doctored("blind") ? prelaunch::door::Counts{} : genuine_counts();
}

// How instrumented code makes itself known to the engine, before main(): no C++ object is made yet.
extern "C" void __real___sanitizer_cov_8bit_counters_init(std::uint8_t* begin, std::uint8_t* end);
extern "C" void __wrap___sanitizer_cov_8bit_counters_init(std::uint8_t* begin, std::uint8_t* end) {
  const char* const given = std::getenv("PRELAUNCH_DOCTORED");
  if (given != nullptr && std::string_view(given) == "uninstrumented") return;
  __real___sanitizer_cov_8bit_counters_init(begin, end);
}
extern "C" void __real___sanitizer_cov_pcs_init(const std::uintptr_t* begin,
                                                const std::uintptr_t* end);
extern "C" void __wrap___sanitizer_cov_pcs_init(const std::uintptr_t* begin,
                                                const std::uintptr_t* end) {
  const char* const given = std::getenv("PRELAUNCH_DOCTORED");
  if (given != nullptr && std::string_view(given) == "uninstrumented") return;
  __real___sanitizer_cov_pcs_init(begin, end);
}
