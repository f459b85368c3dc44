#include "fuzz/campaign/trust.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <set>
#include <sstream>
#include <thread>

#include "fuzz/campaign/command.h"
#include "fuzz/campaign/fuzzer.h"
#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/log.h"
#include "fuzz/campaign/process.h"
#include "fuzz/files.h"
#include "fuzz/self_test.h"
#include "fuzz/temp_folder.h"
#include "kernels/common/escape.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

using std::chrono::duration;
using std::chrono::seconds;

constexpr seconds kSelfTestLimit{120};

std::optional<fs::path> build_folder(const fs::path& program) {
  std::error_code error;
  for (fs::path folder = program.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (fs::exists(folder / "build.ninja", error)) return folder;
  }
  return std::nullopt;
}

std::string ninja(const fs::path& folder, const std::vector<std::string>& words) {
  const TempFolder scratch;
  Command command;
  command.words = {"ninja", "-C", folder.string(), "-t"};
  command.words.insert(command.words.end(), words.begin(), words.end());
  command.folder = scratch.path();
  const Ended ended = run(command, scratch / "log");
  return ended.code == 0 ? ended.output : std::string();
}

// The words that stand alone on their lines: names of files.
std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t start = line.find_first_not_of(' ');
    if (start == line.npos || line.find(' ', start) != line.npos) continue;
    out.push_back(line.substr(start));
  }
  return out;
}

// What the program is made of: what it is linked from, and what that is compiled from.
std::set<fs::path> inputs_of(const fs::path& folder, const fs::path& program) {
  const std::string name = program.lexically_relative(folder).string();
  std::vector<std::string> names = names_in(ninja(folder, {"inputs", name}));
  std::vector<std::string> deps = {"deps"};
  for (const std::string& each : names) {
    if (each.ends_with(".o")) deps.push_back(each);
  }
  if (deps.size() > 1) {
    for (std::string& each : names_in(ninja(folder, deps))) names.push_back(std::move(each));
  }
  std::set<fs::path> out;
  for (const std::string& each : names) out.insert((folder / each).lexically_normal());
  return out;
}

std::string sentence_of(const std::string& log, const std::string& name, int status) {
  const std::size_t failed = log.find(kSelfTestFailed);
  if (failed != log.npos) {
    std::string text = log.substr(failed + kSelfTestFailed.size());
    return fmt::format("{} fails its self-test: {}", name,
                       visible(text.substr(0, text.find('\n'))));
  }
  if (log.find(kSelfTestPassed) != log.npos && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return {};
  }
  return fmt::format("{} does not answer its self-test: it ended with {}", name,
                     how_it_ended(status));
}

// One self-test that is under way.
struct SelfTest {
  fs::path program, log;
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  Process process{};

  void start() {
    auto environment = fuzzer_environment();
    environment.emplace_back("PRELAUNCH_SELF_TEST", "1");
    write_file(log, "");
    process.start(program, {}, environment, log);
  }
  std::optional<std::string> poll() {
    const bool late = std::chrono::steady_clock::now() - begun > kSelfTestLimit;
    if (late) process.kill_group();
    const std::string name = program.filename().string();
    if (late) return fmt::format("{} does not end its self-test", name);
    const auto status = process.poll();
    if (!status) return std::nullopt;
    return sentence_of(read_tail(log, 1 << 16), name, *status);
  }
};

}  // namespace

std::optional<std::string> stale(const fs::path& program) {
  std::error_code error;
  const fs::path real = fs::canonical(program, error);
  const auto folder = error ? std::nullopt : build_folder(real);
  if (!folder) return std::nullopt;
  const fs::file_time_type built = fs::last_write_time(real, error);
  const std::string name = program.filename().string();
  const std::set<fs::path> inputs = inputs_of(*folder, real);
  if (inputs.empty()) {
    return fmt::format("what {} is built from cannot be told: ninja does not know it", name);
  }
  for (const fs::path& input : inputs) {
    const fs::file_time_type written = fs::last_write_time(input, error);
    if (error || written <= built) continue;  // some are names of steps, not of files
    return fmt::format("{} is stale: {} is newer; build again", name,
                       visible(input.filename().string()));
  }
  return std::nullopt;
}

std::vector<std::string> failed_self_tests(const std::vector<fs::path>& programs, unsigned jobs,
                                           const fs::path& logs) {
  std::vector<std::string> out;
  std::list<SelfTest> running;
  for (std::size_t next = 0; (next < programs.size() || !running.empty()) && !interrupted();) {
    while (running.size() < jobs && next < programs.size()) {
      const fs::path& program = programs[next++];
      running.push_back({program, logs / ("self-test-" + program.filename().string() + ".log")});
      running.back().start();
    }
    for (auto each = running.begin(); each != running.end();) {
      const auto sentence = each->poll();
      if (sentence && !sentence->empty()) out.push_back(*sentence);
      each = sentence ? running.erase(each) : std::next(each);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  for (SelfTest& each : running) each.process.kill_group();
  return out;
}

std::optional<std::string> Clocks::doubt(System system, Steady steady) const {
  const double by_steady = duration<double>(steady - steady_).count();
  const double ahead = duration<double>(system - system_).count() - by_steady;
  if (by_steady < 0) return fmt::format("the steady clock went back by {:.0f} s", -by_steady);
  // Clocks that are kept right by a time server are slewed by less than this.
  if (std::abs(ahead) <= 2 + by_steady / 500) return std::nullopt;
  return fmt::format("the clock was set {} by {:.0f} s while the campaign ran",
                     ahead < 0 ? "back" : "forward", std::abs(ahead));
}

std::optional<std::string> full_disk(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error || space.available >= kLeastRoom) return std::nullopt;
  return fmt::format("the disk of {} is full ({} kB left): what is found may be lost",
                     visible(folder.filename().string()), space.available / 1024);
}

}  // namespace prelaunch::fuzz
