#include "fuzz/sabotage/kills.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <map>
#include <thread>

#include "fuzz/campaign/campaign_read.h"
#include "fuzz/campaign/fuzzer.h"
#include "fuzz/campaign/interrupt.h"
#include "fuzz/files.h"
#include "fuzz/json.h"
#include "fuzz/sabotage/run_night.h"
#include "kernels/common/choices.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kBudget{8};
// A bug that some calls show: there are findings to lose, and inputs too.
constexpr const char* kPlanted = "fault:6";
// What is still there after this is there for good, however busy the machine is: what a killed
// night leaves running, and a night of which a part was killed.
constexpr seconds kLastBreath{60}, kLongestNight{900};

// Inputs of the work corpus, by name.
using Inputs = std::map<std::string, std::string>;

class Killer {
 public:
  Killer(const fs::path& root, const NightPrograms& programs, const Kills& kills)
      : sandbox_(root, programs), kills_(kills), choose_(kills.seed) {
    sandbox_.plant(kPlanted);
  }

  bool run() {
    for (unsigned i = 1; i <= kills_.count; ++i) {
      kill_one(i);
      check(fmt::format("kill {}", i));
    }
    last_night();
    fmt::print("{} kills, seed {}: {} inputs and findings kept, {} lost or broken\n", kills_.count,
               kills_.seed, known_.size(), findings_);
    return findings_ == 0;
  }

 private:
  void kill_one(unsigned number) {
    Night night(sandbox_, kBudget);
    const auto moment = milliseconds{choose_.between(0, 14'000)};
    const bool whole = choose_.one_in(3);
    wait(night, moment);
    std::vector<int> below = descendants(night.pid());
    const int victim = whole || below.empty() ? night.pid() : below[choose_.below(below.size())];
    const std::string name = program_of(victim).filename().string();
    kill(victim, SIGKILL);
    fmt::print("kill {} of {}: {} after {} ms\n", number, kills_.count,
               name.empty() ? "nothing, it had ended" : name, moment.count());
    std::fflush(stdout);
    // A night that lives on ends by itself.
    if (victim != night.pid()) wait(night, kLongestNight);
    if (victim != night.pid() && !night.poll() && is_running(night.pid()))
      find("the night does not end");
    expect_gone(below);
  }

  void wait(Night& night, milliseconds time) {
    for (const auto end = Clock::now() + time; Clock::now() < end && !night.poll();) {
      if (interrupted()) throw Interrupted();
      std::this_thread::sleep_for(milliseconds{5});
    }
  }
  static bool is_running(int pid) { return !program_of(pid).empty(); }

  void expect_gone(const std::vector<int>& processes) {
    const auto end = Clock::now() + kLastBreath;
    for (const int pid : processes) {
      while (is_running(pid) && Clock::now() < end) std::this_thread::sleep_for(milliseconds{5});
      if (is_running(pid)) find(fmt::format("{} runs on", program_of(pid).filename().string()));
    }
  }

  void check(const std::string& when) {
    const Inputs now = inputs();
    for (const auto& [name, bytes] : known_) {
      const auto found = now.find(name);
      if (found == now.end())
        find(fmt::format("{}: input {} is lost", when, name));
      else if (found->second != bytes)
        find(fmt::format("{}: input {} is changed", when, name));
    }
    known_ = now;
    const fs::path result = sandbox_.out() / "campaign.json";
    if (!fs::exists(result)) return;
    try {
      read_campaign(result);
    } catch (const FileError& error) {
      find(fmt::format("{}: {}", when, error.what()));
    }
  }

  // Open findings are entries too; an input that ended a fuzzer is one as soon as it is a call.
  Inputs inputs() const {
    Inputs out;
    add("ulysses_pack_validate", "", kMaxInputBytes, out);
    add("ulysses_pack_execute", "", kMaxInputBytes, out);
    add(".findings", ".json", kMaxCallBytes, out);
    return out;
  }
  void add(const std::string& folder, std::string_view extension, std::size_t most,
           Inputs& out) const {
    std::error_code error;
    if (!fs::is_directory(sandbox_.work() / folder, error)) return;
    for (const fs::path& path : list_files(sandbox_.work() / folder, extension)) {
      out[folder + "/" + path.filename().string()] = read_file(path, most);
    }
  }

  void last_night() {
    Night night(sandbox_, kBudget);
    std::optional<int> exit;
    for (const auto end = Clock::now() + seconds{180}; !exit && Clock::now() < end;) {
      if (interrupted()) throw Interrupted();
      exit = night.poll();
      std::this_thread::sleep_for(milliseconds{20});
    }
    if (exit != 1) {
      find(fmt::format("the night after the kills: expected exit 1, got {}", exit.value_or(-1)));
      std::fputs(read_file(sandbox_.log(), 1 << 24).c_str(), stderr);
    }
    check("the night after");
    expect_listed();
  }

  // The night after tells of all that was found.
  void expect_listed() {
    const std::string told = read_file(sandbox_.out() / "campaign.json", kMaxCampaignBytes);
    for (const auto& [name, bytes] : known_) {
      const fs::path path = name;
      if (path.parent_path() != ".findings" || told.find(path.stem().string()) != told.npos)
        continue;
      find(fmt::format("{} is not among the findings of the night after", path.stem().string()));
    }
  }

  void find(const std::string& what) {
    ++findings_;
    fmt::print("FINDING {}\n", what);
  }

  Sandbox sandbox_;
  const Kills& kills_;
  Choices choose_;
  Inputs known_;
  std::size_t findings_ = 0;
};

}  // namespace

bool kill_nights(const fs::path& root, const NightPrograms& programs, const Kills& kills) {
  return Killer(root, programs, kills).run();
}

}  // namespace prelaunch::fuzz
