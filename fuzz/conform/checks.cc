#include "fuzz/conform/checks.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "fuzz/conform/binary.h"
#include "fuzz/conform/target_files.h"
#include "fuzz/conform/trace.h"
#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

constexpr int kEdges = 100;           // fewer: only part of the code is instrumented
constexpr int kAflExecutions = 1000;  // to be reached inside the fuzzing loop
constexpr std::size_t kMostText = 1 << 20;

// The number after `key`, at the start of what follows it; 0 when there is none.
std::int64_t number_after(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == text.npos) return 0;
  const std::string digits(text.substr(at + key.size(), 24));
  return std::strtoll(digits.c_str(), nullptr, 10);
}

std::string last_line(std::string_view text) {
  const auto end = text.find_last_not_of('\n');
  if (end == text.npos) return "nothing";
  const auto start = text.rfind('\n', end);
  return std::string(text.substr(start + 1, end - start));
}

// What a run that went wrong says about itself.
std::string told(const Ended& ended) {
  static const std::regex telling(
      "(strict engine: |SUMMARY: |ERROR: |prelaunch finding: |PROGRAM ABORT|\\[-\\]).*");
  std::smatch match;
  const bool found = std::regex_search(ended.output, match, telling);
  return fmt::format("exit code {}: {}", ended.code, found ? match.str() : last_line(ended.output));
}

class Checker {
 public:
  explicit Checker(const Subject& subject) : s_(subject) {}

  std::vector<std::string> run() {
    if (!fs::exists(program())) return {"it is missing from the outputs"};
    make_folder(s_.scratch);
    seeds_ = s_.scratch / "seeds";
    elsewhere_ = s_.scratch / "some where else";  // targets run in any working directory
    make_folder(elsewhere_);
    add(check_binary(inspect(program(), s_.scratch), s_.kind));
    try {
      add(unpack_seeds(beside("_seed_corpus.zip"), seeds_));
      read_options();
    } catch (const FileError& error) {
      wrong_.emplace_back(error.what());
    }
    if (!fs::exists(beside(".dict"))) wrong_.push_back(s_.target + ".dict is missing");
    if (s_.kind.engine == "afl") {
      run_afl();
    } else {
      run_libfuzzer();
    }
    return std::move(wrong_);
  }

 private:
  fs::path program() const { return s_.out / s_.target; }
  fs::path beside(const std::string& suffix) const { return s_.out / (s_.target + suffix); }
  void add(const std::vector<std::string>& wrong) {
    wrong_.insert(wrong_.end(), wrong.begin(), wrong.end());
  }
  bool has_seeds() const { return fs::exists(seeds_) && !fs::is_empty(seeds_); }

  Ended start(std::vector<std::string> words, Environment environment = {}) {
    if (!s_.kind.option.empty()) environment.emplace(s_.kind.option, s_.kind.option_value);
    environment.emplace("TMPDIR", s_.scratch.string());
    environment.emplace("LLVM_PROFILE_FILE", (s_.scratch / "run.profraw").string());
    return fuzz::run({std::move(words), std::move(environment), elsewhere_, kLimit},
                     s_.scratch / "run.log");
  }
  // The target with the options of its file, as a cluster would start it.
  Ended start_target(const std::vector<std::string>& arguments, const std::string& asan = {},
                     std::vector<std::string> before = {}, Environment environment = {}) {
    environment.emplace("ASAN_OPTIONS", asan_options(options_) + asan);
    std::vector<std::string> words = std::move(before);
    words.push_back(program().string());
    for (const std::string& flag : engine_flags(options_)) words.push_back(flag);
    words.insert(words.end(), arguments.begin(), arguments.end());
    return start(std::move(words), std::move(environment));
  }

  // --- options ------------------------------------------------------------------------------
  void read_options() {
    if (!fs::exists(beside(".options"))) {
      wrong_.push_back(s_.target + ".options is missing");
      return;
    }
    options_ = parse_options(read_file(beside(".options"), kMostText), wrong_);
    if (s_.kind.engine == "libfuzzer") check_option_names();
  }
  // The engine and the runtime know their options best.
  void check_option_names() {
    check_names("libfuzzer", start({program().string(), "-help=1"}).output);
    if (s_.kind.sanitizer != "address") return;
    const Environment help = {{"ASAN_OPTIONS", "help=1"}};
    check_names("asan", start({program().string(), "-runs=0"}, help).output);
  }
  void check_names(const std::string& section, const std::string& known) {
    const auto set = options_.find(section);
    if (set == options_.end()) return;
    for (const auto& [key, value] : set->second) {
      const std::regex name("(^|\\n)[ \\t]*" + key + "[ \\t\\n]");
      const bool plain = key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == key.npos;
      if (plain && std::regex_search(known, name)) continue;
      wrong_.push_back(fmt::format("options: [{}] knows no {}", section, key));
    }
  }

  // --- libFuzzer ----------------------------------------------------------------------------
  void run_libfuzzer() {
    if (s_.kind.sanitizer != "coverage") {
      check_start();
      check_same_twice();
      check_trace();
    }
    if (has_seeds()) check_replay();
    check_dictionary();
    if (s_.kind.sanitizer == "coverage" && has_seeds()) check_coverage();
    if (!s_.strict.empty()) check_strict();
  }

  void check_start() {
    const Ended ended = start_target({"-seed=1337", "-runs=4"});
    if (ended.code != 0 || !ended.says("INFO: Seed: 1337") || !ended.says("Done 4 runs")) {
      wrong_.push_back("-seed=1337 -runs=4 does not say so: " + told(ended));
    }
    const std::int64_t edges = number_after(ended.output, "INFO: Loaded 1 modules   (");
    if (edges >= kEdges) return;
    wrong_.push_back(
        fmt::format("it is built without instrumentation: {} edges, expected {}", edges, kEdges));
  }

  // Coverage, features and corpus of a seeded run; they follow from the seed alone. Without what
  // the engine learns from comparisons: those of addresses differ from run to run.
  std::string outcome_of_seeded_run(std::vector<std::string> before = {},
                                    Environment environment = {}) {
    const Ended ended = start_target({"-seed=1337", "-runs=2000", "-use_cmp=0"}, {},
                                     std::move(before), std::move(environment));
    const auto at = ended.output.find("DONE ");
    if (ended.code != 0 || at == ended.output.npos) return told(ended);
    return ended.output.substr(at, ended.output.find(" exec/s", at) - at);
  }
  // The same with addresses that do not change, where the stack starts `shift` times 16 bytes
  // lower.
  std::string outcome_at_fixed_addresses(std::size_t shift) {
    return outcome_of_seeded_run({"setarch", "--addr-no-randomize"},
                                 {{"PRELAUNCH_SHIFT", std::string(16 * shift, '-')}});
  }
  // How deep the stack goes is a feature too, and frames that ask for more alignment than the stack
  // has make that depend on where it starts. So runs that differ must each be one that repeats for
  // some start.
  void check_same_twice() {
    const std::string first = outcome_of_seeded_run(), second = outcome_of_seeded_run();
    if (first == second) {
      if (!first.starts_with("DONE ")) wrong_.push_back("-seed=1337 -runs=2000 fails: " + first);
      return;
    }
    std::set<std::string> allowed;
    for (std::size_t shift = 0; shift < 4; ++shift) {
      const std::string outcome = outcome_at_fixed_addresses(shift);
      if (outcome == outcome_at_fixed_addresses(shift)) allowed.insert(outcome);
    }
    if (allowed.contains(first) && allowed.contains(second)) return;
    wrong_.push_back(
        fmt::format("two runs of one seed differ: '{}' and '{}'; with fixed addresses '{}'", first,
                    second, fmt::join(allowed, "', '")));
  }

  void check_trace() {
    const fs::path trace = s_.scratch / "trace";
    const Ended ended =
        start_target({"-seed=1337", "-runs=200", "-print_funcs=0"}, "detect_leaks=0",
                     {"strace", "-f", "-qq", "-e", std::string(kTraced), "-o", trace.string()});
    if (ended.code == 127 || !fs::exists(trace) || fs::is_empty(trace)) {
      throw FileError("strace cannot watch a program here: " + last_line(ended.output));
    }
    if (auto wrong = forbidden_call(read_file(trace, kMostTrace))) wrong_.push_back(*wrong);
  }

  void check_replay() {
    const Ended ended = start_target({"-runs=0", seeds_.string()});
    if (ended.code != 0) wrong_.push_back("its seed corpus does not replay: " + told(ended));
  }

  void check_dictionary() {
    if (!fs::exists(beside(".dict"))) return;
    const Ended ended =
        start_target({"-runs=0", "-dict=" + beside(".dict").string(), elsewhere_.string()});
    if (ended.says("Dictionary: ")) return;
    wrong_.push_back("its dictionary does not parse: " + last_line(ended.output));
  }

  // Of the profile that replaying the seeds leaves.
  void check_coverage() {
    static_cast<void>(start_target({"-runs=0", seeds_.string()}));
    const std::string profile = (s_.scratch / "run.profdata").string();
    const Ended merged =
        start({"llvm-profdata-19", "merge", (s_.scratch / "run.profraw").string(), "-o", profile});
    if (merged.code != 0) {
      wrong_.push_back("it leaves no coverage profile: " + last_line(merged.output));
      return;
    }
    const Ended exported = start({"llvm-cov-19", "export", "-summary-only",
                                  "-instr-profile=" + profile, program().string()});
    const std::int64_t covered = regions_covered(exported.output);
    if (covered >= kEdges) return;
    wrong_.push_back(fmt::format("its seeds cover {} regions, expected {}", covered, kEdges));
  }
  static std::int64_t regions_covered(const std::string& text) {
    const auto json = nlohmann::json::parse(text.data(), text.data() + text.size(), nullptr, false);
    const nlohmann::json::json_pointer at("/data/0/totals/regions/covered");
    return json.is_object() && json.contains(at) && json[at].is_number_integer()
               ? json[at].get<std::int64_t>()
               : 0;
  }

  void check_strict() {
    std::vector<std::string> words = {(s_.strict / s_.target).string()};
    if (has_seeds()) {
      for (const fs::path& seed : list_files(seeds_, "")) words.push_back(seed.string());
    }
    const Ended ended = start(words);
    if (ended.code != 0) wrong_.push_back("under the strict engine: " + told(ended));
  }

  // --- AFL++ --------------------------------------------------------------------------------
  void run_afl() {
    if (!has_seeds()) return;
    const fs::path found = s_.scratch / "afl";
    std::vector<std::string> words = {"afl-fuzz", "-i",           seeds_.string(),
                                      "-o",       found.string(), "-s",
                                      "1337",     "-E",           std::to_string(kAflExecutions)};
    if (fs::exists(beside(".dict"))) {
      words.insert(words.end(), {"-x", beside(".dict").string()});
    }
    words.insert(words.end(), {"--", program().string()});
    const Ended ended = start(words, {{"AFL_NO_UI", "1"},
                                      {"AFL_SKIP_CPUFREQ", "1"},
                                      {"AFL_NO_AFFINITY", "1"},
                                      {"AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1"},
                                      {"AFL_FORKSRV_INIT_TMOUT", "30000"}});
    judge_afl(ended, found / "default" / "fuzzer_stats");
  }
  void judge_afl(const Ended& ended, const fs::path& stats) {
    if (ended.code != 0 || !ended.says("All set and ready to roll") || !fs::exists(stats)) {
      wrong_.push_back("AFL++ does not reach its fuzzing loop: " + told(ended));
      return;
    }
    const std::string text = read_file(stats, kMostText);
    expect_at_least("execs_done", kAflExecutions, text);
    expect_at_least("total_edges", kEdges, text);
    if (number_after(text, "\nsaved_crashes     : ") > 0) wrong_.emplace_back("AFL++ crashed it");
  }
  void expect_at_least(const std::string& key, int least, const std::string& stats) {
    const std::int64_t value = number_after(stats, fmt::format("\n{:<18}: ", key));
    if (value >= least) return;
    wrong_.push_back(fmt::format("AFL++ says {} {}, expected at least {}", key, value, least));
  }

  static constexpr std::chrono::seconds kLimit{300};
  static constexpr std::size_t kMostTrace = 64 << 20;

  const Subject& s_;
  fs::path seeds_, elsewhere_;
  Options options_;
  std::vector<std::string> wrong_;
};

}  // namespace

std::vector<std::string> needed_programs(const BuildKind& kind) {
  std::vector<std::string> out = {"cmake",
                                  "ninja",
                                  "strace",
                                  "llvm-nm-19",
                                  "llvm-cov-19",
                                  "objdump",
                                  "llvm-profdata-19",
                                  "llvm-readelf-19",
                                  "llvm-symbolizer-19",
                                  std::string(kind.cxx)};
  if (kind.engine == "afl") out.emplace_back("afl-fuzz");
  if (kind.link.empty()) out.insert(out.end(), {"ld", "llvm-objcopy-19"});
  return out;
}

std::vector<std::string> check(const Subject& subject) {
  try {
    return Checker(subject).run();
  } catch (const fs::filesystem_error& error) {
    throw FileError(error.what());
  }
}

}  // namespace prelaunch::fuzz
