// Running other programs: fork and exec, never a shell.
//
//   SignalGate gate;                      // from here on Ctrl-C waits for us to look
//   const Exit exit = gate.run({"/bin/prelaunch-campaign", "--out", dir}, {.limit = 30min});
//   if (gate.interrupted()) ...           // the child was told, and has finished
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

namespace prelaunch::reports {

using Argv = std::vector<std::string>;  // program path, then its arguments

// How a child ended.
struct Exit {
  int status = 0;  // its exit status; kNotRun when it could not be started
  int signal = 0;  // the signal that killed it; 0 when it exited by itself
  bool overran = false;
};
inline constexpr int kNotRun = 127;

struct Limits {
  std::chrono::milliseconds limit;  // after this a child is sent SIGTERM
  std::chrono::milliseconds grace;  // and after this more, SIGKILL
};

// What an interrupt does while a child runs. A page half made is of no use to anyone.
enum class OnInterrupt { kForward, kFinish };

// Holds back SIGINT, SIGTERM and SIGHUP for as long as it lives. They are seen while a child runs
// and by interrupted(): no handler, no race. One at a time; single-threaded programs only.
class SignalGate {
 public:
  SignalGate();
  SignalGate(const SignalGate&) = delete;
  SignalGate& operator=(const SignalGate&) = delete;
  ~SignalGate();

  // Runs a child in a process group of its own, its standard input empty, until it has ended;
  // whatever it left running in its group is killed. The first interrupt is passed on to the group,
  // a second one kills it.
  Exit run(const Argv& argv, Limits limits, OnInterrupt on_interrupt = OnInterrupt::kForward);

  // Whether any interrupt has come so far.
  bool interrupted();

 private:
  void interrupt(pid_t child, int signal, OnInterrupt on_interrupt);

  sigset_t watched_;  // the interrupts, and SIGCHLD
  sigset_t before_;   // the mask that the process had
  int interrupts_ = 0;
};

}  // namespace prelaunch::reports
