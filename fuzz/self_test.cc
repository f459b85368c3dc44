#include "fuzz/self_test.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>

#include "fuzz/backing.h"
#include "fuzz/witness.h"

namespace prelaunch::fuzz {
namespace {

// Calls drawn until one does. Each op's generator gives a usable one within a few.
constexpr std::uint64_t kDraws = 200;
constexpr std::int64_t kMostElements = 1 << 14;
// How the child says that it went on; no sanitizer ends a process so.
constexpr int kWentOn = 99;

// Whether the deed ends its process. Its report is dropped.
bool is_fatal(const std::function<void()>& deed) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    deed();
    _exit(kWentOn);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == kWentOn);
}

struct Drawn {
  Call call;
  Expectation expect;
};

Drawn draw(const OpInfo& op, std::uint64_t seed) {
  Choices choose(seed);
  Drawn out;
  out.expect = op.generate(choose, out.call);
  return out;
}

bool swallows(const OpInfo& op, Verdict truth, Verdict claim) {
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const Drawn drawn = draw(op, seed);
    if (drawn.expect.verdict != truth) continue;
    return !op.judge(drawn.call, {claim}, {.profile = Profile::kValidate}).is_finding();
  }
  return true;
}

std::optional<std::string> oracle(const OpInfo& op) {
  if (swallows(op, Verdict::kAccept, Verdict::kReject)) {
    return "its oracle does not report a bad call that is accepted";
  }
  if (swallows(op, Verdict::kReject, Verdict::kAccept)) {
    return "its oracle does not report a good call that is rejected";
  }
  return std::nullopt;
}

std::optional<std::string> sanitizers() {
  const bool reads = is_fatal([] {
    const volatile std::size_t past = 16;
    char* const bytes = new char[16];
    asm volatile("" : : "r"(bytes) : "memory");
    const volatile char byte = bytes[past];
    static_cast<void>(byte);
  });
  if (!reads) return "AddressSanitizer is missing: reading past a heap buffer goes unnoticed";
  const bool overflows = is_fatal([] {
    volatile std::int32_t number = std::numeric_limits<std::int32_t>::max();
    number = number + 1;
  });
  if (!overflows) return "UBSan is missing: the overflow of an integer goes unnoticed";
  return std::nullopt;
}

// Whether both are calls that are run, of which the first needs more of some buffer.
bool needs_more(const OpInfo& op, const Call& more, const Call& less) {
  for (std::size_t i = 0; i < op.fields.size(); ++i) {
    if (op.fields[i].type != FieldType::kTensor || more.values[i].absent) continue;
    const auto a = bytes_needed(more.values[i].tensor), b = bytes_needed(less.values[i].tensor);
    if (!less.values[i].absent && a && b && *a > *b + 64) return true;
  }
  return false;
}

std::vector<Call> good_calls(const OpInfo& op) {
  std::vector<Call> out;
  for (std::uint64_t seed = 0; seed < kDraws && out.size() < 16; ++seed) {
    const Drawn drawn = draw(op, seed);
    if (drawn.expect.verdict == Verdict::kAccept) out.push_back(drawn.call);
  }
  return out;
}

// Runs calls in the memory of others until one of them is noticed: by a finding, where that does
// not end the process.
bool run_in_too_little(const OpInfo& op, const std::vector<Call>& calls) {
  for (const Call& more : calls) {
    for (const Call& less : calls) {
      if (!needs_more(op, more, less)) continue;
      const JudgeOptions options{.max_elements = kMostElements, .memory_of = &less};
      if (op.judge(more, {}, options).is_finding()) return true;
    }
  }
  return false;
}

std::optional<std::string> memory(const OpInfo& op) {
  const std::vector<Call> calls = good_calls(op);
  const bool noticed = backing::kInPlace ? is_fatal([&] { run_in_too_little(op, calls); })
                                         : run_in_too_little(op, calls);
  if (noticed) return std::nullopt;
  return "a kernel that reads or writes outside of its call's memory goes unnoticed";
}

}  // namespace

std::optional<std::string> self_test(const OpInfo& op, Profile profile) {
  if (auto text = sanitizers()) return text;
  if (auto text = blind_witness(op)) return text;
  if (auto text = oracle(op)) return text;
  return profile == Profile::kExecute ? memory(op) : std::nullopt;
}

void self_test_if_asked(const OpInfo& op, Profile profile) {
  if (std::getenv("PRELAUNCH_SELF_TEST") == nullptr) return;
  const auto wrong = self_test(op, profile);
  const std::string said =
      wrong ? std::string(kSelfTestFailed) + *wrong : std::string(kSelfTestPassed);
  std::fprintf(stderr, "%s\n", said.c_str());
  std::fflush(nullptr);
  _exit(wrong ? 3 : 0);
}

}  // namespace prelaunch::fuzz
