#include "fuzz/campaign/interrupt.h"

#include <csignal>

namespace prelaunch::fuzz {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;
void note_interrupt(int) { g_interrupted = 1; }

}  // namespace

void catch_interrupts() {
  g_interrupted = 0;
  struct sigaction action = {};
  action.sa_handler = note_interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return g_interrupted != 0; }

}  // namespace prelaunch::fuzz
