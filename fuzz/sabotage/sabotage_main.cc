// prelaunch-sabotage: breaks the night on purpose, and looks whether it turns red.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <nlohmann/json.hpp>
#include <thread>

#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/tool.h"
#include "fuzz/files.h"
#include "fuzz/sabotage/kills.h"
#include "fuzz/sabotage/run_night.h"
#include "fuzz/sabotage/scenarios.h"
#include "kernels/common/provenance.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

// A night of two targets: long enough for each to do some work, and for a clock to go wrong.
constexpr std::chrono::seconds kBudget{8}, kLimit{180};

struct Outcome {
  const Scenario* scenario;
  int exit = -1;  // -1: it did not end
  std::string sentence;
  double seconds = 0;

  bool as_expected() const { return exit == scenario->exit && !sentence.empty(); }
};

// A scenario under way.
class Trial {
 public:
  Trial(const Scenario& scenario, const fs::path& root, const NightPrograms& programs)
      : scenario_(scenario), sandbox_(root, programs) {
    scenario.prepare(sandbox_);
    meddled_ = !scenario.meddle;
    night_.emplace(sandbox_, kBudget);
  }

  std::optional<Outcome> poll() {
    if (!meddled_) meddled_ = scenario_.meddle(sandbox_, night_->pid());
    const auto exit = night_->poll();
    const double used = std::chrono::duration<double>(Clock::now() - begun_).count();
    if (!exit && Clock::now() - begun_ < kLimit) return std::nullopt;
    return Outcome{&scenario_, exit.value_or(-1), line_with(sandbox_, scenario_.sentence), used};
  }
  const fs::path log() const { return sandbox_.log(); }

 private:
  const Scenario& scenario_;
  Sandbox sandbox_;
  Clock::time_point begun_ = Clock::now();
  std::optional<Night> night_;
  bool meddled_ = false;
};

void tell(const Outcome& outcome) {
  if (outcome.as_expected()) {
    fmt::print("{}: exit {} as expected, {:.0f} s: {}\n", outcome.scenario->name, outcome.exit,
               outcome.seconds, outcome.sentence);
  } else {
    fmt::print("FINDING {}: expected exit {} and a sentence with \"{}\", got exit {} and {}\n",
               outcome.scenario->name, outcome.scenario->exit, outcome.scenario->sentence,
               outcome.exit, outcome.sentence.empty() ? "none" : outcome.sentence);
  }
  std::fflush(stdout);
}

std::vector<Outcome> run_all(const std::vector<const Scenario*>& chosen, const fs::path& root,
                             const NightPrograms& programs, unsigned jobs) {
  std::vector<Outcome> out;
  std::list<Trial> running;
  for (std::size_t next = 0; next < chosen.size() || !running.empty();) {
    while (running.size() < jobs && next < chosen.size()) {
      running.emplace_back(*chosen[next++], root, programs);
    }
    for (auto trial = running.begin(); trial != running.end();) {
      const auto outcome = trial->poll();
      if (outcome) tell(*outcome);
      if (outcome && !outcome->as_expected())
        std::fputs(read_file(trial->log(), 1 << 20).c_str(), stderr);
      if (outcome) out.push_back(*outcome);
      trial = outcome ? running.erase(trial) : std::next(trial);
    }
    if (interrupted()) throw Interrupted();
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
  return out;
}

std::string json_of(const std::vector<Outcome>& outcomes) {
  Json out = Json::array();
  for (const Outcome& outcome : outcomes) {
    out.push_back({{"name", std::string(outcome.scenario->name)},
                   {"exit", outcome.exit},
                   {"expected", outcome.scenario->exit},
                   {"sentence", outcome.sentence}});
  }
  return out.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::vector<const Scenario*> chosen_scenarios(const std::string& only) {
  std::vector<const Scenario*> out;
  for (const Scenario& scenario : scenarios()) {
    if (scenario.name.find(only) != std::string_view::npos) out.push_back(&scenario);
  }
  if (out.empty()) throw FileError(fmt::format("--only: no scenario is called {}", only));
  return out;
}

fs::path nightly_program(const fs::path& root) {
  const char* given = std::getenv("PRELAUNCH_NIGHTLY");
  const fs::path path =
      given != nullptr ? fs::path(given) : root / "build/dev/reports/prelaunch-nightly";
  if (!fs::exists(path)) {
    throw Untrusted(fmt::format("{} is missing: ./prelaunch sabotage builds it", path.string()));
  }
  return path;
}

struct Arguments {
  std::string only;
  fs::path json;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  unsigned kills = 0;
  std::uint64_t seed = 1;
};

int run_scenarios(const Arguments& in, const fs::path& root, const NightPrograms& programs) {
  if (!in.json.empty()) expect_writable(in.json);
  const std::vector<Outcome> outcomes = run_all(chosen_scenarios(in.only), root, programs, in.jobs);
  if (!in.json.empty()) write_file(in.json, json_of(outcomes));
  const auto failed = std::count_if(outcomes.begin(), outcomes.end(),
                                    [](const Outcome& each) { return !each.as_expected(); });
  fmt::print("{} way{} to break a night, {} unnoticed\n", outcomes.size(),
             outcomes.size() == 1 ? "" : "s", failed);
  return failed == 0 ? 0 : 1;
}

int run(int argc, char** argv) {
  CLI::App app("Breaks short nights on purpose; each must turn red and name what is wrong.",
               "prelaunch sabotage");
  Arguments in;
  app.add_option("--json", in.json, "Write name, exit, expected and sentence of each");
  app.add_option("--only", in.only, "Only those whose name holds this");
  app.add_option("--jobs", in.jobs, "Nights at a time")
      ->check(CLI::Range(1u, 64u))
      ->capture_default_str();
  CLI::Option* const kills =
      app.add_option("--kills", in.kills,
                     "Instead: kill a night or one of its workers so many times; nothing that was "
                     "found may be lost")
          ->check(CLI::Range(1u, 100000u))
          ->excludes("--json")
          ->excludes("--only");
  app.add_option("--seed", in.seed, "When and what is killed")->needs(kills)->capture_default_str();
  app.footer(
      "Exit codes: 0 every night turned red as it should, 1 one did not or lost something, 2 "
      "usage, "
      "3 a program is missing, 130 interrupted.\nExamples: prelaunch sabotage --only \"disk "
      "full\"\n"
      "          prelaunch sabotage --kills 100 --seed 7");
  if (const auto code = parse_ended(app, argc, argv)) return *code;
  catch_interrupts();
  const fs::path root = checkout();
  const fs::path own = fs::read_symlink("/proc/self/exe").parent_path();
  const NightPrograms programs{nightly_program(root), own.parent_path()};
  if (in.kills == 0) return run_scenarios(in, root, programs);
  return kill_nights(root, programs, {in.kills, in.seed}) ? 0 : 1;
}

}  // namespace
}  // namespace prelaunch::fuzz

int main(int argc, char** argv) {
  return prelaunch::fuzz::run_tool("prelaunch sabotage", prelaunch::fuzz::run, argc, argv);
}
