#include "fuzz/conform/trace.h"

#include <algorithm>

#include "kernels/common/escape.h"

namespace prelaunch::fuzz {
namespace {

bool holds(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// "1234  openat(AT_FDCWD, ..." without the process.
std::string_view call_of(std::string_view line) {
  const auto begin = line.find_first_not_of("0123456789 ");
  return begin == line.npos ? std::string_view{} : line.substr(begin);
}

// The first text in quotes.
std::string quoted(std::string_view line) {
  const auto begin = line.find('"');
  if (begin == line.npos) return "?";
  return std::string(line.substr(begin + 1, line.find('"', begin + 1) - begin - 1));
}

bool opens_for_writing(std::string_view call) {
  return holds(call, "O_WRONLY") || holds(call, "O_RDWR") || holds(call, "O_CREAT") ||
         holds(call, "O_TRUNC");
}

// What is wrong with one call, or nothing.
std::optional<std::string> judge(std::string_view call) {
  const auto paren = call.find('(');
  if (paren == call.npos) return std::nullopt;  // an exit or a signal
  const std::string name(call.substr(0, paren));
  if (name == "open" || name == "openat" || name == "openat2") {
    const std::string file = quoted(call);
    if (opens_for_writing(call)) return "it opens " + file + " for writing";
    if (file.starts_with("/dev/")) return "it opens " + file;
    return std::nullopt;
  }
  if (name == "socket" || name == "connect" || name == "bind") return "it opens a socket";
  if (name.starts_with("exec")) return "it starts " + quoted(call);
  return "it calls " + name + " on " + quoted(call);
}

}  // namespace

std::optional<std::string> forbidden_call(std::string_view trace) {
  bool started = false;
  while (!trace.empty()) {
    const auto end = std::min(trace.find('\n'), trace.size());
    const std::string_view call = call_of(trace.substr(0, end));
    trace.remove_prefix(std::min(end + 1, trace.size()));
    if (!started && call.starts_with("execve(")) {
      started = true;
    } else if (const auto wrong = judge(call)) {
      return visible(*wrong);
    }
  }
  return std::nullopt;
}

}  // namespace prelaunch::fuzz
