#include "reports/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace prelaunch::reports {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<char*> pointers(const Argv& argv) {
  std::vector<char*> pointers;
  for (const std::string& argument : argv) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// In the child, between fork and exec: only calls that are safe there.
void redirect(int fd, const char* path, int mode) {
  const int file = ::open(path, mode);
  if (file >= 0) ::dup2(file, fd);
}

[[noreturn]] void exec(const std::vector<char*>& argv) {
  ::execv(argv[0], argv.data());
  ::_exit(kNotRun);
}

// Forks a child that leads a process group and dies with us. -1 when there is no process to be had.
pid_t start(const Argv& argv, const sigset_t& mask) {
  const std::vector<char*> arguments = pointers(argv);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child != 0) {
    if (child > 0) ::setpgid(child, child);  // here too: whoever comes first
    return child;
  }
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(kNotRun);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  // A background process group that reads from the terminal would be stopped.
  redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
  exec(arguments);
}

// Nothing while the child runs. Its group is cleared while its own entry still holds the group's
// id.
std::optional<Exit> reap(pid_t child) {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
      info.si_pid == 0) {
    return std::nullopt;
  }
  ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  Exit exit;
  if (WIFSIGNALED(status))
    exit.signal = WTERMSIG(status);
  else
    exit.status = WEXITSTATUS(status);
  return exit;
}

timespec until(Clock::time_point deadline) {
  const auto left = std::max(deadline - Clock::now(), Clock::duration::zero());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  return {seconds.count(), static_cast<long>(std::chrono::nanoseconds(left - seconds).count())};
}

}  // namespace

SignalGate::SignalGate() {
  struct sigaction hangup{};
  ::sigaction(SIGHUP, nullptr, &hangup);
  ::sigemptyset(&watched_);
  for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) ::sigaddset(&watched_, signal);
  // Started by nohup: a closed terminal is no interrupt.
  if (hangup.sa_handler != SIG_IGN) ::sigaddset(&watched_, SIGHUP);
  ::signal(SIGCHLD, SIG_DFL);  // inherited as ignored, it would take our children's statuses away
  ::sigprocmask(SIG_BLOCK, &watched_, &before_);
}

SignalGate::~SignalGate() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

void SignalGate::interrupt(pid_t child, int signal, OnInterrupt on_interrupt) {
  ++interrupts_;
  if (on_interrupt == OnInterrupt::kForward) ::kill(-child, interrupts_ == 1 ? signal : SIGKILL);
}

Exit SignalGate::run(const Argv& argv, Limits limits, OnInterrupt on_interrupt) {
  const pid_t child = start(argv, before_);
  if (child < 0) return {.status = kNotRun};
  auto deadline = Clock::now() + limits.limit;
  bool overran = false;
  for (;;) {
    if (auto exit = reap(child)) {
      exit->overran = overran;
      return *exit;
    }
    const timespec patience = until(deadline);
    const int signal = ::sigtimedwait(&watched_, nullptr, &patience);
    if (signal > 0 && signal != SIGCHLD) interrupt(child, signal, on_interrupt);
    if (signal > 0 || errno != EAGAIN) continue;
    ::kill(-child, overran ? SIGKILL : SIGTERM);
    overran = true;
    deadline = Clock::now() + limits.grace;
  }
}

bool SignalGate::interrupted() {
  constexpr timespec kNow{};
  sigset_t interrupts = watched_;
  ::sigdelset(&interrupts, SIGCHLD);
  while (::sigtimedwait(&interrupts, nullptr, &kNow) > 0) ++interrupts_;
  return interrupts_ > 0;
}

}  // namespace prelaunch::reports
