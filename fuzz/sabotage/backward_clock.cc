// Preloaded: the clock that people set is one hour back from the fourth second on after a process
// was started. The steady one goes on. Called before anything is initialised, so by system calls.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern "C" int clock_gettime(clockid_t clock, struct timespec* out) {
  static time_t begun = 0;
  struct timespec steady{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &steady);
  if (begun == 0) begun = steady.tv_sec;
  const long result = syscall(SYS_clock_gettime, clock, out);
  if (clock == CLOCK_REALTIME && result == 0 && steady.tv_sec - begun >= 3) out->tv_sec -= 3600;
  return static_cast<int>(result);
}
