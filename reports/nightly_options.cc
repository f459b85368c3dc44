#include "reports/nightly_options.h"

#include <sched.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>

#include "kernels/common/duration.h"
#include "kernels/common/escape.h"

namespace prelaunch::reports {
namespace {

constexpr const char* kDescription =
    "Runs a fuzzing campaign, sorts its findings, tests the fuzzers with planted bugs, measures\n"
    "coverage, runs the benchmarks, and writes the page of it all.\n\n"
    "  ./prelaunch nightly --budget 1h30m --jobs 8 --ops ulysses_pack\n"
    "  ./prelaunch nightly --until 06:30\n\n"
    "Campaign and benchmarks take the budget; the rest comes on top. Results of an earlier run in\n"
    "the same folder are replaced.\n"
    "Exit codes: 0 as expected, 1 finding, 2 usage, 3 the result cannot be trusted, 4 unresolved,\n"
    "130 interrupted (the page is written all the same).";

// The processors that this process may use, not those that the machine has.
unsigned usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(CPU_COUNT(&set), 1));
}

template <class Number>
std::optional<Number> whole_number(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_op_list(const std::string& ops) {
  const auto is_op = [](std::string_view op) {
    return !op.empty() && std::ranges::all_of(op, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
  };
  std::string_view rest = ops;
  for (std::size_t comma; (comma = rest.find(',')) != std::string_view::npos;) {
    if (!is_op(rest.substr(0, comma))) return false;
    rest.remove_prefix(comma + 1);
  }
  return is_op(rest);
}

// As written; kept as text so that each error can say what it got.
struct Texts {
  std::string budget = "30m", until, jobs, ops, engine, seed, out;
};

std::variant<NightlyOptions, HelpText, UsageError> convert(const CLI::App& app,
                                                           const Texts& texts) {
  const auto wrong = [](const char* option, const char* expected, const std::string& got) {
    return UsageError{
        visible(std::string(option) + ": expected " + expected + ", got \"" + got + "\"")};
  };
  NightlyOptions options;
  const bool has_end = app.count("--until") > 0;
  const auto budget =
      has_end ? time_until(texts.until, local_time_of_day()) : parse_duration(texts.budget);
  if (!budget && has_end) return wrong("--until", "a time of day such as 06:30", texts.until);
  if (!budget) return wrong("--budget", "a duration such as 90s, 30m or 1h30m", texts.budget);
  options.budget = *budget;
  options.jobs = usable_processors();
  if (app.count("--jobs") > 0) {
    const auto jobs = whole_number<unsigned>(texts.jobs);
    if (!jobs || *jobs < 1 || *jobs > 1024)
      return wrong("--jobs", "a number from 1 to 1024", texts.jobs);
    options.jobs = *jobs;
  }
  if (app.count("--ops") > 0 && !is_op_list(texts.ops)) {
    return wrong("--ops", "names of ops, separated by commas", texts.ops);
  }
  options.ops = texts.ops;
  if (app.count("--engine") > 0 && texts.engine != "libfuzzer" && texts.engine != "afl") {
    return wrong("--engine", "libfuzzer or afl", texts.engine);
  }
  options.engine = texts.engine;
  if (app.count("--seed") > 0) {
    options.seed = whole_number<std::uint64_t>(texts.seed);
    if (!options.seed) return wrong("--seed", "a number of 0 or more", texts.seed);
  }
  if (app.count("--out") > 0) {
    if (texts.out.empty()) return wrong("--out", "a folder", texts.out);
    options.out = texts.out;
  }
  return options;
}

}  // namespace

std::variant<NightlyOptions, HelpText, UsageError> parse_nightly_options(int argc,
                                                                         const char* const* argv) {
  Texts texts;
  CLI::App app(kDescription, "prelaunch nightly");
  // Read here, not by CLI11: there it would count as given, and exclude --until.
  const char* usual = std::getenv("PRELAUNCH_BUDGET");
  if (usual != nullptr && *usual != '\0') texts.budget = usual;
  CLI::Option* const budget =
      app.add_option("--budget", texts.budget,
                     "time for campaign and benchmarks: 90s, 30m, 1h30m (or $PRELAUNCH_BUDGET)")
          ->type_name("TIME")
          ->capture_default_str();
  app.add_option("--until", texts.until,
                 "instead of --budget: the time until HH:MM, today or tomorrow, local time")
      ->type_name("HH:MM")
      ->excludes(budget);
  app.add_option("--jobs", texts.jobs, "fuzzing processes at a time (default: the processors)")
      ->type_name("N");
  app.add_option("--ops", texts.ops, "only these ops: a,b")->type_name("NAMES");
  app.add_option("--engine", texts.engine,
                 "fuzzing engine: libfuzzer or afl (default: the campaign's)")
      ->type_name("NAME");
  app.add_option("--seed", texts.seed, "seed of the campaign and of what is planted")
      ->type_name("N");
  app.add_option("--out", texts.out,
                 "folder of the run (default: reports/runs/<date>-<machine>-<commit>)")
      ->type_name("DIR");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return HelpText{app.help()};
  } catch (const CLI::ParseError& error) {
    return UsageError{visible(error.what())};
  }
  return convert(app, texts);
}

std::chrono::seconds bench_budget(std::chrono::seconds budget) {
  return std::clamp(budget / 4, std::chrono::seconds(1), std::chrono::seconds(60));
}

}  // namespace prelaunch::reports
