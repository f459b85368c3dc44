#include "fuzz/witness.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "fuzz/backing.h"
#include "fuzz/watch.h"
#include "kernels/common/door.h"

namespace prelaunch::fuzz {
namespace {

// What the process that ran a call says of it with its exit code. None is a sanitizer's.
enum class Ran : int { kSeen = 100, kUnseen = 101, kNotRun = 102, kFaulted = 103 };

// Calls drawn until one is run.
constexpr std::uint64_t kMostDrawn = 100;

Ran run_here(const OpInfo& op, const NamedCall& named) {
  const Judgement judgement = op.judge(named.call, named.expect, {.max_elements = 1 << 14});
  if (judgement.reason == Reason::kNothingLaunched) return Ran::kUnseen;
  if (judgement.is_finding()) return Ran::kFaulted;
  if (judgement.compared == 0) return Ran::kNotRun;  // or it had nothing to write
  return judgement.door.launches == 0 ? Ran::kUnseen : Ran::kSeen;
}

// Runs the call in a process of its own: a kernel that faults is a finding of the replay that
// follows, and must not end the campaign here. Its reports are dropped for the same reason.
Ran run_in_child(const OpInfo& op, const NamedCall& named) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(STDERR_FILENO);
    _exit(static_cast<int>(run_here(op, named)));
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0 || !WIFEXITED(status)) return Ran::kFaulted;
  const int code = WEXITSTATUS(status);
  const bool said = code >= static_cast<int>(Ran::kSeen) && code <= static_cast<int>(Ran::kFaulted);
  return said ? static_cast<Ran>(code) : Ran::kFaulted;
}

// A GPU's context survives no fork, and a faulting kernel ends it, not the process.
Ran run(const OpInfo& op, const NamedCall& named) {
  return backing::kInPlace ? run_in_child(op, named) : run_here(op, named);
}

// The first good call that ends normally decides. Where all that could be run end in a fault,
// nothing is held against the witness: those faults are findings of their own.
std::optional<std::string> launches_unseen(const OpInfo& op) {
  bool faulted = false;
  for (std::uint64_t seed = 0; seed < kMostDrawn; ++seed) {
    Choices choose(seed);
    NamedCall named;
    named.expect = op.generate(choose, named.call);
    if (named.expect.verdict != Verdict::kAccept) continue;
    const Ran ran = run(op, named);
    if (ran == Ran::kSeen) return std::nullopt;
    if (ran == Ran::kUnseen) return "a witness missed a launch";
    faulted |= ran == Ran::kFaulted;
  }
  if (faulted) return std::nullopt;
  return "no good call could be launched to test the witnesses";
}

// Which witness misses what `work` is, when it is done.
template <class Do>
std::optional<std::string> unseen(Work work, Do&& act) {
  const Watch watch;
  if (!act()) return "the door fails: it has no device, or no memory";
  return watch.missed(work);
}

}  // namespace

std::optional<std::string> blind_witness(const OpInfo& op) {
  constexpr std::int64_t kBytes = 16;
  char host[kBytes] = {};
  void* data = nullptr;
  const auto set = [] {
    door::set_current_device(door::current_device());
    return true;
  };
  const auto allocate = [&] { return door::allocate("witness", kBytes, nullptr, &data).ok(); };
  const auto copy = [&] {
    return door::copy(data, host, kBytes, door::Direction::kHostToDevice, nullptr).ok();
  };
  const auto fill = [&] { return door::fill(data, 0, kBytes, nullptr).ok(); };
  const auto release = [&] { return door::release(data, nullptr).ok(); };
  if (auto text = unseen(Work::kDeviceSet, set)) return text;
  if (auto text = unseen(Work::kAllocation, allocate)) return text;
  if (auto text = unseen(Work::kCopy, copy)) return text;
  if (auto text = unseen(Work::kCopy, fill)) return text;
  if (auto text = unseen(Work::kAllocation, release)) return text;
  return launches_unseen(op);
}

}  // namespace prelaunch::fuzz
