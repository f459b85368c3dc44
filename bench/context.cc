#include "bench/context.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "bench/device_timer.h"
#include "kernels/common/door.h"

namespace prelaunch::bench {
namespace {

// What git prints; nothing when it fails, as it does outside a checkout.
std::optional<std::string> git(const std::string& arguments) {
  const std::string command = "git -C \"${PRELAUNCH_ROOT:-.}\" " + arguments + " 2>/dev/null";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string out;
  char chunk[4096];
  for (std::size_t n; (n = std::fread(chunk, 1, sizeof chunk, pipe)) > 0;) out.append(chunk, n);
  if (::pclose(pipe) != 0) return std::nullopt;
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string now_text() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

}  // namespace

nlohmann::ordered_json read_context(std::uint64_t seed) {
  nlohmann::ordered_json context = {
      {"commit", git("rev-parse HEAD").value_or("unknown")},
      {"dirty", !git("status --porcelain --untracked-files=no").value_or("").empty()},
      {"machine", host_name()},
      {"cpu", cpu_model()},
      {"cores", std::thread::hardware_concurrency()},
      {"compiler", PRELAUNCH_COMPILER},
      {"flags", PRELAUNCH_FLAGS},
      {"build_type", PRELAUNCH_BUILD_TYPE},
      {"backend", door::backend()},
      {"seed", seed},
      {"started", now_text()}};
  if (const auto gpu = gpu_info()) {
    context["gpu"] = gpu->name;
    context["driver"] = gpu->driver;
  }
  return context;
}

}  // namespace prelaunch::bench
