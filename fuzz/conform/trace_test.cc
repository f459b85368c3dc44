#include "fuzz/conform/trace.h"

#include <gtest/gtest.h>

namespace prelaunch::fuzz {
namespace {

constexpr std::string_view kStart = R"(100 execve("/x/toy_validate_fuzzer", ["/x/toy"], 0x7ffd) = 0
100 openat(AT_FDCWD, "/lib/x86_64-linux-gnu/libc.so.6", O_RDONLY|O_CLOEXEC) = 3
101 openat(AT_FDCWD, "/proc/self/maps", O_RDONLY) = 4
100 --- SIGALRM {si_signo=SIGALRM} ---
)";

std::string said(std::string_view line) {
  return forbidden_call(std::string(kStart).append(line)).value_or("nothing");
}

TEST(Trace, AStartAndReadingAreAllowed) {
  EXPECT_EQ(said(""), "nothing");
  EXPECT_EQ(said("100 +++ exited with 0 +++\n"), "nothing");
  EXPECT_EQ(forbidden_call(""), std::nullopt);
}

TEST(Trace, WhatATargetMayNotDoIsNamed) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"(100 openat(AT_FDCWD, "/tmp/a b", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 5)",
       "it opens /tmp/a b for writing"},
      {R"(101 open("log", O_RDWR) = 5)", "it opens log for writing"},
      {R"(100 openat(AT_FDCWD, "/dev/nvidiactl", O_RDONLY) = -1 ENOENT (No such file))",
       "it opens /dev/nvidiactl"},
      {"100 socket(AF_INET, SOCK_STREAM, IPPROTO_IP) = 5", "it opens a socket"},
      {R"(102 execve("/bin/sh", ["sh"], 0x7ffd) = 0)", "it starts /bin/sh"},
      {R"(100 unlink("/tmp/a") = 0)", "it calls unlink on /tmp/a"},
      {R"(100 mkdir("/tmp/a", 0777) = 0)", "it calls mkdir on /tmp/a"}};
  for (const auto& [line, expected] : cases) EXPECT_EQ(said(line), expected) << line;
}

TEST(Trace, WhatIsToldIsShownAsItIs) {
  EXPECT_EQ(said("100 unlink(\"a\x1b[2J\xff\") = 0"), "it calls unlink on a\u241b[2J\ufffd");
}

}  // namespace
}  // namespace prelaunch::fuzz
