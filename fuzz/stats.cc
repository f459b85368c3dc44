#include "fuzz/stats.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace prelaunch::fuzz {
namespace {

Stats* map_file(const char* path) {
  // A fork server that is killed would leave its child behind, stopped between two inputs.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  // Pages past the end of a shorter file would be mapped, and fault when they are written.
  const bool fits = file >= 0 && lseek(file, 0, SEEK_END) >= static_cast<off_t>(sizeof(Stats));
  errno = file >= 0 && !fits ? EINVAL : errno;
  void* pages =
      fits ? mmap(nullptr, sizeof(Stats), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (pages == MAP_FAILED) {
    std::fprintf(stderr, "prelaunch: PRELAUNCH_STATS: cannot map %s: %s\n", path,
                 std::strerror(errno));
    std::exit(3);
  }
  close(file);
  return static_cast<Stats*>(pages);
}

}  // namespace

Stats& stats() {
  static Stats own;
  static Stats* const counters = [] {
    const char* path = std::getenv("PRELAUNCH_STATS");
    return path != nullptr ? map_file(path) : &own;
  }();
  return *counters;
}

}  // namespace prelaunch::fuzz
