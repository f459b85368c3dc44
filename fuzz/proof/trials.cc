#include "fuzz/proof/trials.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <span>

#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/tool.h"
#include "fuzz/files.h"

// Nobody reads the reports of trials: naming their functions would take most of the time.
extern "C" const char* __asan_default_options() { return "symbolize=0:detect_leaks=0"; }
extern "C" const char* __ubsan_default_options() { return "symbolize=0"; }

namespace prelaunch::fuzz {
namespace {

constexpr unsigned kSecondsATrial = 30;

enum class State : std::uint32_t { kNotRun, kStarted, kFinished };

struct Slot {
  std::atomic<State> state;
  std::atomic<std::uint32_t> value;
  std::atomic<std::int64_t> started, ended;  // nanoseconds
};

// Slots that outlive the process that writes them.
class SharedSlots {
 public:
  explicit SharedSlots(std::size_t count) : bytes_((count + 1) * sizeof(Slot)), count_(count) {
    pages_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pages_ == MAP_FAILED) {
      throw FileError(fmt::format("cannot map {} bytes: {}", bytes_, std::strerror(errno)));
    }
  }
  ~SharedSlots() { munmap(pages_, bytes_); }
  SharedSlots(const SharedSlots&) = delete;
  SharedSlots& operator=(const SharedSlots&) = delete;

  std::span<Slot> all() const { return {static_cast<Slot*>(pages_), count_}; }

 private:
  std::size_t bytes_, count_;
  void* pages_ = nullptr;
};

std::int64_t now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds{1};
}

[[noreturn]] void run_from(std::size_t first, std::span<Slot> slots, const TryOne& try_one) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  for (std::size_t i = first; i < slots.size(); ++i) {
    alarm(kSecondsATrial);
    slots[i].started = now();
    slots[i].state = State::kStarted;
    try_one(i, slots[i].value);
    slots[i].ended = now();
    slots[i].state = State::kFinished;
  }
  _exit(0);
}

// The end of the trial that was under way when the child ended.
Trial::End run_child(std::size_t first, std::span<Slot> slots, const TryOne& try_one) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw Untrusted(fmt::format("cannot start a child: {}", std::strerror(errno)));
  if (child == 0) run_from(first, slots, try_one);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    if (interrupted()) kill(child, SIGKILL);
  }
  if (interrupted()) throw Interrupted();
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  // No trial does that to itself.
  if (signal == SIGKILL)
    throw Untrusted("a trial was killed from outside: is there enough memory?");
  return signal == SIGALRM ? Trial::End::kTimedOut : Trial::End::kDied;
}

}  // namespace

std::vector<Trial> run_trials(std::size_t count, const TryOne& try_one) {
  const SharedSlots shared(count);
  const std::span<Slot> slots = shared.all();
  std::vector<Trial> out;
  while (out.size() < count) {
    const std::size_t first = out.size();
    const Trial::End end = run_child(first, slots, try_one);
    while (out.size() < count && slots[out.size()].state != State::kNotRun) {
      const Slot& slot = slots[out.size()];
      const bool finished = slot.state == State::kFinished;
      const std::int64_t ended = finished ? slot.ended.load() : now();
      out.push_back({finished ? Trial::End::kFinished : end, slot.value,
                     static_cast<double>(ended - slot.started) * 1e-9});
    }
    if (out.size() == first) throw Untrusted("a child ended before its first trial");
  }
  return out;
}

}  // namespace prelaunch::fuzz
