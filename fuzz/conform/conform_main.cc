// prelaunch-conform: `./prelaunch conform`.
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/tool.h"
#include "fuzz/conform/checks.h"
#include "fuzz/conform/target_files.h"
#include "fuzz/files.h"
#include "kernels/common/provenance.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Options {
  fs::path source, json, keep;
  std::vector<const BuildKind*> kinds;
};

struct Result {
  const BuildKind* kind;
  std::string target;
  std::vector<std::string> wrong;
};

double seconds_since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

// A folder to build in: the one asked for, which stays, or a temporary one.
class Workplace {
 public:
  explicit Workplace(const fs::path& keep) : kept_(!keep.empty()) {
    if (kept_) {
      make_folder(keep);
      path_ = fs::absolute(keep);
      return;
    }
    std::string pattern = (fs::temp_directory_path() / "prelaunch-conform-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw FileError(pattern + ": cannot create");
    path_ = pattern;
  }
  ~Workplace() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  const fs::path& path() const { return path_; }

 private:
  bool kept_;
  fs::path path_;
};

void print(const Result& result) {
  fmt::print("{:<8}{:<24} {}\n", result.wrong.empty() ? "ok" : "BROKEN", result.kind->name,
             result.target);
  for (const std::string& wrong : result.wrong) fmt::print("          {}\n", wrong);
  std::fflush(stdout);
}

// Files that belong to no target are told with the first one.
std::vector<Result> check_build(const BuildKind& kind, const Options& options,
                                const fs::path& base) {
  const std::vector<std::string> targets = promised_targets(options.source);
  const fs::path own = checkout() / "fuzz" / "conform";
  const bool strict = kind.name == "libfuzzer-address";  // once is enough
  const Engines engines = {.hermetic = own / "hermetic_libfuzzer.sh",
                           .strict = strict ? own / "strict_engine.cc" : fs::path()};
  make_folder(base);
  const Built built = build({kind, options.source, base}, engines);
  std::vector<std::string> common = {built.failure};
  if (built.failure.empty()) common = check_outputs(built.out, targets);
  std::vector<Result> results;
  for (const std::string& target : targets) {
    Result& result = results.emplace_back(Result{&kind, target, std::move(common)});
    if (!built.failure.empty()) {
      common = result.wrong;
      continue;
    }
    common.clear();
    const auto wrong = check({kind, target, built.out, built.strict, base / ("check " + target)});
    result.wrong.insert(result.wrong.end(), wrong.begin(), wrong.end());
  }
  return results;
}

std::string json_of(const std::vector<Result>& results) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Result& result : results) {
    out.push_back({{"engine", result.kind->engine},
                   {"sanitizer", result.kind->sanitizer},
                   {"library", result.kind->library},
                   {"target", result.target},
                   {"ok", result.wrong.empty()},
                   {"why", fmt::format("{}", fmt::join(result.wrong, "; "))}});
  }
  return out.dump(1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

std::vector<Result> check_all(const Options& options) {
  const Workplace place(options.keep);
  const Clock::time_point begun = Clock::now();
  std::vector<Result> all;
  for (std::size_t i = 0; i < options.kinds.size(); ++i) {
    const BuildKind& kind = *options.kinds[i];
    fmt::print(stderr, "prelaunch conform: {} of {}: {}, {:.0f} s so far\n", i + 1,
               options.kinds.size(), kind.name, seconds_since(begun));
    std::vector<Result> results = check_build(kind, options, place.path() / kind.name);
    for (const Result& result : results) print(result);
    std::move(results.begin(), results.end(), std::back_inserter(all));
  }
  return all;
}

std::vector<const BuildKind*> chosen_kinds(const std::vector<std::string>& names) {
  std::vector<const BuildKind*> out;
  for (const BuildKind& kind : build_kinds()) {
    if (names.empty() || std::find(names.begin(), names.end(), kind.name) != names.end()) {
      out.push_back(&kind);
    }
  }
  return out;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> out;
  for (const BuildKind& kind : build_kinds()) out.emplace_back(kind.name);
  return out;
}

// A check that cannot be made is no check that has passed.
struct CannotCheck : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void expect_programs(const Options& options) {
  for (const BuildKind* kind : options.kinds) {
    const std::vector<std::string> missing = missing_programs(needed_programs(*kind));
    if (missing.empty()) continue;
    throw CannotCheck(fmt::format("{} needs {}: install the packages of packages.txt", kind->name,
                                  fmt::join(missing, ", ")));
  }
}

std::vector<Result> check_all_here(const Options& options) {
  try {
    return check_all(options);
  } catch (const FileError& error) {
    throw CannotCheck(error.what());
  }
}

int conform(const Options& options) {
  const Clock::time_point begun = Clock::now();
  expect_programs(options);
  if (promised_targets(options.source).empty()) {
    throw FileError(options.source.string() + ": expected a checkout with fuzz/*_fuzzer.cc");
  }
  const std::vector<Result> results = check_all_here(options);
  if (!options.json.empty()) write_file(options.json, json_of(results));
  const auto broken = std::count_if(results.begin(), results.end(),
                                    [](const Result& result) { return !result.wrong.empty(); });
  fmt::print("{} targets of {} builds, {} broken, {:.0f} s\n", results.size(), options.kinds.size(),
             broken, seconds_since(begun));
  return broken == 0 ? 0 : 1;
}

int run_conform(int argc, char** argv) {
  CLI::App app(
      "Builds the fuzz targets as fuzzing clusters do, under every engine, and checks that they "
      "keep the clusters' rules.",
      "prelaunch conform");
  Options options;
  std::vector<std::string> kinds;
  options.source = checkout();
  app.add_option("--json", options.json, "Write the results to this file");
  app.add_option(
         "--builds", kinds,
         fmt::format("Only these, separated by commas, of {}", fmt::join(kind_names(), ", ")))
      ->delimiter(',')
      ->check(CLI::IsMember(kind_names()));
  app.add_option("--source", options.source, "The checkout to build; without it this one")
      ->check(CLI::ExistingDirectory);
  app.add_option("--keep", options.keep,
                 "Work in this folder, which must be empty, and leave everything there");
  app.footer(
      "Exit codes: 0 all targets conform, 1 one does not, 2 usage or bad input, 3 cannot be "
      "checked here, 130 interrupted.\nExample: prelaunch conform --json conform.json");
  if (const auto code = parse_ended(app, argc, argv)) return *code;
  options.kinds = chosen_kinds(kinds);
  options.source = fs::absolute(options.source);
  if (!options.json.empty()) options.json = fs::absolute(options.json);
  if (std::error_code error; !options.keep.empty() && fs::exists(options.keep, error) &&
                             !fs::is_empty(options.keep, error)) {
    throw FileError(options.keep.string() + ": expected an empty folder");
  }
  catch_interrupts();
  try {
    return conform(options);
  } catch (const CannotCheck& error) {
    fmt::print(stderr, "prelaunch conform: cannot check here: {}\n", error.what());
    return 3;
  }
}

}  // namespace
}  // namespace prelaunch::fuzz

int main(int argc, char** argv) {
  return prelaunch::fuzz::run_tool("prelaunch conform", prelaunch::fuzz::run_conform, argc, argv);
}
