#include "bench/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace prelaunch::bench {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 as expected, 1 accepting allocated memory, 2 usage, 3 the figures cannot be "
    "trusted.\n"
    "Example: prelaunch bench --ops ulysses_pack --filter accept --budget 30s --out "
    "/tmp/bench.json";

// "90s", "30m", "1h30m", "45".
std::chrono::seconds parse_budget(const std::string& text) {
  static const std::regex form("(?:([0-9]{1,3})h)?(?:([0-9]{1,4})m)?(?:([0-9]{1,6})s?)?");
  std::smatch parts;
  std::chrono::seconds budget{0};
  if (std::regex_match(text, parts, form)) {
    const auto part = [&](std::size_t i) { return parts[i].matched ? std::stol(parts[i]) : 0L; };
    budget = std::chrono::seconds(part(1) * 3600 + part(2) * 60 + part(3));
  }
  if (budget.count() > 0) return budget;
  throw UsageError(fmt::format("--budget: expected a time like 60s or 30m, got '{}'", text));
}

std::regex parse_filter(const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error&) {
    throw UsageError(fmt::format("--filter: expected a regular expression, got '{}'", text));
  }
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv) {
  CLI::App app("Measures what validation costs and how fast the kernels are.", "prelaunch bench");
  bool nightly = false, full = false, smoke = false, list = false;
  std::string filter, budget = "60s";
  Options options;
  auto* extent = app.add_option_group("extent");
  extent->require_option(0, 1);
  extent->add_flag("--nightly", nightly, "Every case, a few rejections, the kernels");
  extent->add_flag("--full", full, "Everything (the default)");
  extent->add_flag("--smoke", smoke, "Everything for one iteration: the times mean nothing");
  app.add_option("--filter", filter, "Only names in which this regular expression is found");
  app.add_option("--ops", options.ops, "Only these ops, separated by commas")->delimiter(',');
  app.add_option("--budget", budget, "How long, like 60s or 30m")->capture_default_str();
  app.add_option("--out", options.out, "File for the results, Google Benchmark's JSON");
  app.add_flag("--list", list, "Print the names and run nothing");
  app.footer(kFooter);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    app.exit(help);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  options.extent = nightly ? Extent::kNightly : smoke ? Extent::kSmoke : Extent::kFull;
  options.budget = parse_budget(budget);
  if (!filter.empty()) options.filter = parse_filter(filter);
  if (list) options.action = Options::Action::kList;
  return options;
}

std::vector<Suite> choose_suites(const Options& options, const std::vector<Suite>& suites) {
  if (options.ops.empty()) return suites;
  std::vector<Suite> chosen;
  for (const Suite& suite : suites) {
    if (std::ranges::find(options.ops, suite.op) != options.ops.end()) chosen.push_back(suite);
  }
  return chosen;
}

void check_ops(const Options& options, const std::vector<Suite>& suites) {
  for (const std::string& op : options.ops) {
    if (std::ranges::find(suites, op, &Suite::op) != suites.end()) continue;
    throw UsageError(fmt::format("--ops: expected the name of an op, got '{}'", op));
  }
}

bool chosen(const Options& options, const Entry& entry) {
  if (options.extent == Extent::kNightly && entry.night != Night::kEvery) return false;
  return !options.filter || std::regex_search(entry.name, *options.filter);
}

}  // namespace prelaunch::bench
