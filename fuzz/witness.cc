#include "fuzz/witness.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "kernels/common/door.h"

namespace prelaunch::fuzz {
namespace {

// What the process that ran a call says of it with its exit code. None is a sanitizer's.
enum class Seen : int { kLaunch = 100, kNothing = 101, kNotRun = 102 };

// Calls drawn until one is run.
constexpr std::uint64_t kMostDrawn = 100;

// Runs the call in a process of its own: a kernel that faults is a finding of the replay that
// follows, and must not end the campaign here. Its reports are dropped for the same reason.
std::optional<Seen> launch_seen(const OpInfo& op, const NamedCall& named) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(STDERR_FILENO);
    const Judgement judgement = op.judge(named.call, named.expect, {.max_elements = 1 << 14});
    const Seen seen = judgement.compared == 0        ? Seen::kNotRun
                      : judgement.door.launches == 0 ? Seen::kNothing
                                                     : Seen::kLaunch;
    _exit(static_cast<int>(seen));
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0 || !WIFEXITED(status)) return std::nullopt;
  return static_cast<Seen>(WEXITSTATUS(status));
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
    const std::optional<Seen> seen = launch_seen(op, named);
    if (seen == Seen::kLaunch) return std::nullopt;
    if (seen == Seen::kNothing) return "the door's counter missed a launch";
    faulted |= seen != Seen::kNotRun;
  }
  if (faulted) return std::nullopt;
  return "no good call could be launched to test the door's counter";
}

std::optional<std::string> unseen(std::string_view what, std::uint64_t seen, std::uint64_t sent) {
  if (seen >= sent) return std::nullopt;
  return std::string("the door's counter missed ").append(what);
}

}  // namespace

std::optional<std::string> blind_witness(const OpInfo& op) {
  constexpr std::int64_t kBytes = 16;
  const door::Counts before = door::counts();
  void* data = nullptr;
  char host[kBytes] = {};
  const std::int32_t device = door::current_device();
  door::set_current_device(device);
  if (!door::allocate("witness", kBytes, nullptr, &data).ok()) return "the door allocates nothing";
  const bool moved = door::copy(data, host, kBytes, door::Direction::kHostToDevice, nullptr).ok() &&
                     door::fill(data, 0, kBytes, nullptr).ok();
  if (!moved || !door::release(data, nullptr).ok()) return "the door moves nothing";
  const door::Counts seen = door::counts() - before;
  if (auto text = unseen("an allocation", seen.allocations, 2)) return text;
  if (auto text = unseen("a copy", seen.copies, 2)) return text;
  if (auto text = unseen("a device set", seen.device_sets, 1)) return text;
  return launches_unseen(op);
}

}  // namespace prelaunch::fuzz
