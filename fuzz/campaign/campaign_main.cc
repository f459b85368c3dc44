// prelaunch-campaign: `./prelaunch fuzz`, and the first part of `./prelaunch nightly`.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/engine_afl.h"
#include "fuzz/campaign/merge.h"
#include "fuzz/campaign/tool.h"
#include "fuzz/files.h"
#include "kernels/common/duration.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;

// What was done, per target and second of one core, and on which calls: how many were accepted, and
// of how many the verdict was known.
void print_rates(const CampaignResult& result) {
  for (const TargetResult& target : result.targets) {
    const auto rate = [&target](std::uint64_t count) {
      return target.seconds > 0 ? static_cast<double>(count) / target.seconds : 0;
    };
    const Stats& stats = target.stats;
    const auto percent = [&stats](std::uint64_t count) {
      return 100 * static_cast<double>(count) /
             static_cast<double>(std::max<std::uint64_t>(stats.executions, 1));
    };
    fmt::print(
        "{} {}: {:.0f} executions/s, {:.1f}% accepted, {:.1f}% valid by construction, {:.1f}% "
        "sole violations",
        target.op->name, to_string(target.profile), rate(stats.executions), percent(stats.accepted),
        percent(stats.valid), percent(stats.violations));
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

// Where the engine's targets lie: those of AFL++ in a tree of their own, beside this one's.
fs::path targets_folder(EngineKind engine) {
  const char* named = std::getenv("PRELAUNCH_FUZZERS");
  if (named != nullptr && *named != '\0') return fs::absolute(named);
  const fs::path own = program_folder();
  if (engine == EngineKind::kLibFuzzer) return own;
  return own.parent_path().parent_path() / "afl" / own.filename();
}

// As they are typed.
struct Arguments {
  std::optional<std::string> until;
  std::string budget = "60s", shard, engine = "libfuzzer";
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> ops, merge;
  std::uint64_t seed = 1;
  fs::path out;
};

std::vector<CLI::Option*> add_campaign_options(CLI::App& app, Arguments& in) {
  CLI::Option* const budget =
      app.add_option("--budget", in.budget, "How long, like 90s, 30m, 1h30m")
          ->capture_default_str();
  return {
      budget,
      app.add_option("--until", in.until, "Instead: until HH:MM, today or tomorrow, local time")
          ->excludes(budget),
      app.add_option("--jobs", in.jobs, "Fuzzers at a time")
          ->check(CLI::Range(1u, 1024u))
          ->capture_default_str(),
      app.add_option("--ops", in.ops, "Only these, separated by commas")->delimiter(','),
      app.add_option("--engine", in.engine, "What drives the targets: libfuzzer, or afl (AFL++)")
          ->check(CLI::IsMember({"libfuzzer", "afl"}))
          ->capture_default_str(),
      app.add_option("--seed", in.seed, "Seed of the fuzzers")->capture_default_str(),
      app.add_option("--shard", in.shard,
                     "I/N: only share I, from 0, of a campaign that N tasks share; found "
                     "inputs go to OUT/corpus")};
}

void add_options(CLI::App& app, Arguments& in) {
  const std::vector<CLI::Option*> of_a_campaign = add_campaign_options(app, in);
  CLI::Option* const merge =
      app.add_option("--merge", in.merge,
                     "DIR...: fuzz nothing; join the folders of shards, or of other campaigns, "
                     "and add their inputs to corpus/.work")
          ->expected(1, kMaxMerged);
  for (CLI::Option* option : of_a_campaign) merge->excludes(option);
  app.add_option("--out", in.out,
                 "Folder for campaign.json, findings and logs; without it "
                 "reports/runs/<date>-<machine>-<commit>, with -shard-I-of-N or -merged behind it");
  app.footer(
      "Exit codes: 0 clean, 1 finding, 2 usage or bad input, 3 not to be trusted, "
      "130 interrupted.\nExamples: prelaunch fuzz --budget 10m --out /tmp/campaign\n"
      "          prelaunch fuzz --engine afl --budget 1h --ops ulysses_pack\n"
      "          prelaunch fuzz --shard 2/8 --budget 6h --out /shared/night/2\n"
      "          prelaunch fuzz --merge /shared/night/? --out /shared/night/all");
}

std::chrono::seconds budget_of(const Arguments& in) {
  const auto budget =
      in.until ? time_until(*in.until, local_time_of_day()) : parse_duration(in.budget);
  if (budget) return *budget;
  if (in.until) {
    throw FileError(fmt::format("--until: expected a time of day like 06:00, got {}", *in.until));
  }
  throw FileError(
      fmt::format("--budget: expected a time like 90s, 30m or 1h30m, got {}", in.budget));
}

CampaignOptions campaign_options(const Arguments& in) {
  CampaignOptions options;
  options.budget = budget_of(in);
  options.jobs = in.jobs;
  options.ops = ops_named(in.ops);
  options.engine = engine_named(in.engine).value();
  options.seed = in.seed;
  return options;
}

// Where results go without --out.
fs::path default_out(const fs::path& root, const std::string& suffix) {
  fs::path out = default_run_folder(root);
  out += suffix;
  return out;
}

// Two campaigns would hand over, and remove, what the other is writing.
void lock_afl(const fs::path& work_corpora) {
  make_folder(afl_folder(work_corpora));
  lock_folder(afl_folder(work_corpora));
}

CampaignResult run_campaign(const Arguments& in, const std::optional<Shard>& shard) {
  CampaignOptions options = campaign_options(in);
  options.shard = shard;
  options.root = checkout();
  options.programs = targets_folder(options.engine);
  const std::string suffix =
      shard ? fmt::format("-shard-{}-of-{}", shard->index, shard->count) : "";
  options.out = in.out.empty() ? default_out(options.root, suffix) : in.out;
  make_folder(options.out);
  lock_folder(options.out);
  if (options.engine == EngineKind::kAfl && !shard) lock_afl(options.root / "corpus" / ".work");
  fmt::print("seed {}{}, results in {}\n", options.seed,
             shard ? ", shard " + to_string(*shard) : "", options.out.string());
  return run_campaign(options);
}

CampaignResult merge(const Arguments& in) {
  MergeOptions options;
  options.folders.assign(in.merge.begin(), in.merge.end());
  options.root = checkout();
  options.programs = targets_folder(EngineKind::kLibFuzzer);
  options.out = in.out.empty() ? default_out(options.root, "-merged") : in.out;
  CampaignResult result = merge_campaigns(options);
  fmt::print("{}\n", result.interrupted ? "interrupted: nothing was joined"
                                        : "results in " + options.out.string());
  return result;
}

int run(int argc, char** argv) {
  CLI::App app("Replays the corpus and fuzzes every target; writes OUT/campaign.json.",
               "prelaunch fuzz");
  Arguments in;
  add_options(app, in);
  if (const auto code = parse_ended(app, argc, argv)) return *code;
  std::optional<Shard> shard;
  if (app.count("--shard") > 0) shard = parse_shard(in.shard);
  const CampaignResult result = in.merge.empty() ? run_campaign(in, shard) : merge(in);
  print_rates(result);
  print_findings(result);
  return result.exit_code();
}

}  // namespace
}  // namespace prelaunch::fuzz

int main(int argc, char** argv) {
  return prelaunch::fuzz::run_tool("prelaunch fuzz", prelaunch::fuzz::run, argc, argv);
}
