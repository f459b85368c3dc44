// strace's output: what a target may not do is said in one line, is the same whatever follows, and
// is noticed whatever comes before.
#include "fuzz/conform/trace.h"
#include "kernels/common/property.h"

using namespace prelaunch;
using namespace prelaunch::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string trace(reinterpret_cast<const char*>(data), size);
  const auto wrong = forbidden_call(trace);
  const auto more = forbidden_call(trace + "\n7 socket(AF_INET, SOCK_STREAM, IPPROTO_IP) = 3\n");
  const auto programs = forbidden_call(trace + "\n7 execve(\"/a\") = 0\n7 execve(\"/b\") = 0");
  if (wrong) claim_line(*wrong);
  claim(more.has_value(), "a socket is noticed");
  claim(programs.has_value(), "the start of a second program is noticed");
  claim(!wrong || more == wrong, "the first forbidden call is told");
  return 0;
}
