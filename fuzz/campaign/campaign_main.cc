// prelaunch-campaign: `./prelaunch fuzz`, and the first part of `./prelaunch nightly`.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <regex>
#include <thread>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/tool.h"
#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;

// "90s", "30m", "1h30m", "45": seconds, or 0 for anything else.
std::chrono::seconds duration(const std::string& text) {
  static const std::regex form("(?:([0-9]{1,4})h)?(?:([0-9]{1,5})m)?(?:([0-9]{1,7})s?)?");
  std::smatch parts;
  if (!std::regex_match(text, parts, form)) return std::chrono::seconds{0};
  const auto part = [&parts](std::size_t i) { return parts[i].matched ? std::stol(parts[i]) : 0L; };
  return std::chrono::seconds{part(1) * 3600 + part(2) * 60 + part(3)};
}

std::vector<const OpInfo*> chosen_ops(const std::vector<std::string>& names) {
  if (names.empty()) return {all_ops().begin(), all_ops().end()};
  std::vector<const OpInfo*> out;
  for (const std::string& name : names) {
    const OpInfo* op = find_op(name);
    if (op == nullptr)
      throw FileError(fmt::format("--ops: expected the name of an op, got {}", name));
    if (std::find(out.begin(), out.end(), op) == out.end()) out.push_back(op);
  }
  return out;
}

// What was done, per target and second of one core.
void print_rates(const CampaignResult& result) {
  for (const TargetResult& target : result.targets) {
    const auto rate = [&target](std::uint64_t count) {
      return target.seconds > 0 ? static_cast<double>(count) / target.seconds : 0;
    };
    const Stats& stats = target.stats;
    const double share = static_cast<double>(stats.accepted) /
                         static_cast<double>(std::max<std::uint64_t>(stats.executions, 1));
    fmt::print("{} {}: {:.0f} executions/s, {:.1f}% accepted", target.op->name,
               to_string(target.profile), rate(stats.executions), 100 * share);
    if (target.profile == Profile::kExecute) {
      fmt::print(", {:.0f} calls/s run in two orders of threads", rate(stats.executed));
    }
    fmt::print("\n");
  }
}

void print_findings(const CampaignResult& result) {
  for (const std::string& reason : result.untrusted) fmt::print("NOT TRUSTED: {}\n", reason);
  for (const TargetResult& target : result.targets) {
    for (const Finding& finding : target.findings) {
      fmt::print("FINDING {}: {}\n  {}\n", finding.id, finding.detail, finding.replay);
    }
  }
}

// The folder above the fuzzers' programs: this one lies in <fuzzers>/campaign.
fs::path program_folder() { return fs::read_symlink("/proc/self/exe").parent_path().parent_path(); }

int run(int argc, char** argv) {
  CLI::App app("Replays the corpus and fuzzes every target; writes OUT/campaign.json.",
               "prelaunch fuzz");
  CampaignOptions options;
  std::string budget = "60s";
  std::vector<std::string> ops;
  options.jobs = std::max(1u, std::thread::hardware_concurrency());
  app.add_option("--budget", budget, "How long, like 90s, 30m, 1h30m")->capture_default_str();
  app.add_option("--jobs", options.jobs, "Fuzzers at a time")
      ->check(CLI::Range(1u, 1024u))
      ->capture_default_str();
  app.add_option("--ops", ops, "Only these, separated by commas")->delimiter(',');
  app.add_option("--seed", options.seed, "Seed of the fuzzers")->capture_default_str();
  app.add_option("--out", options.out,
                 "Folder for campaign.json, findings and logs; without it "
                 "reports/runs/<date>-<machine>-<commit>");
  app.footer(
      "Exit codes: 0 clean, 1 finding, 2 usage or bad input, 3 not to be trusted, "
      "130 interrupted.\nExample: prelaunch fuzz --budget 10m --out /tmp/campaign");
  if (const auto code = parse_ended(app, argc, argv)) return *code;
  options.budget = duration(budget);
  if (options.budget.count() <= 0) {
    throw FileError(
        fmt::format("--budget: expected a time like 90s, 30m or 1h30m, got {}", budget));
  }
  options.ops = chosen_ops(ops);
  options.root = checkout();
  options.programs = program_folder();
  if (options.out.empty()) options.out = default_run_folder(options.root);
  make_folder(options.out);
  lock_folder(options.out);
  fmt::print("seed {}, results in {}\n", options.seed, options.out.string());
  const CampaignResult result = run_campaign(options);
  write_file(options.out / "campaign.json", campaign_json(result));
  print_rates(result);
  print_findings(result);
  return result.exit_code();
}

}  // namespace
}  // namespace prelaunch::fuzz

int main(int argc, char** argv) {
  return prelaunch::fuzz::run_tool("prelaunch fuzz", prelaunch::fuzz::run, argc, argv);
}
