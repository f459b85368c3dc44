// prelaunch-replay: judges stored calls and says what was seen, a few lines a call.
#include <fmt/format.h>

#include "fuzz/campaign/replay.h"
#include "fuzz/campaign/tool.h"
#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<fs::path> inputs;
  std::string without_rule;
  bool each_rule = false, quiet = false, json = false;
};

struct Tally {
  std::size_t calls = 0, findings = 0, unreadable = 0, not_run = 0;
  int exit_code() const { return findings > 0 ? 1 : unreadable > 0 ? 2 : 0; }
};

std::size_t rule_to_skip(const OpInfo& op, const Options& options) {
  return options.without_rule.empty() ? kNoRule : rule_index(op, options.without_rule);
}

void print(const Replayed& replayed, const Options& options) {
  if (options.json) {
    fmt::print("{}\n", replayed.json);
  } else if (replayed.finding || !options.quiet) {
    fmt::print("{}", replayed.text);
  }
}

std::vector<StoredCall> load(const Options& options, Tally& tally) {
  std::vector<StoredCall> calls;
  for (const fs::path& path : call_files(options.inputs)) {
    try {
      calls.push_back(load_call(path));
    } catch (const FileError& error) {
      std::fprintf(stderr, "prelaunch replay: %s\n", error.what());
      ++tally.unreadable;
    }
  }
  if (calls.empty() && tally.unreadable == 0) {
    throw FileError(fmt::format("{}: no *.json there", options.inputs.front().string()));
  }
  return calls;
}

void replay_calls(const std::vector<StoredCall>& calls, const Options& options, Tally& tally) {
  const auto options_of = [&](const StoredCall& stored) {
    return JudgeOptions{.without_rule = rule_to_skip(*stored.op, options)};
  };
  replay_each(calls, options_of, [&](const StoredCall&, const Replayed& replayed) {
    ++tally.calls;
    tally.findings += replayed.finding;
    tally.not_run += replayed.not_run;
    print(replayed, options);
    return true;
  });
  if (options.json) return;
  fmt::print("{} calls: {} as expected ({} accepted but not run), {} findings, {} unreadable\n",
             tally.calls, tally.calls - tally.findings, tally.not_run, tally.findings,
             tally.unreadable);
}

// What is not judged as expected with all rules in place proves nothing of one that is left out.
void find_misjudged(const std::vector<StoredCall>& calls, Tally& tally) {
  const auto validate = [](const StoredCall&) {
    return JudgeOptions{.profile = Profile::kValidate};
  };
  replay_each(calls, validate, [&tally](const StoredCall&, const Replayed& replayed) {
    tally.findings += replayed.finding;
    if (replayed.finding) fmt::print("{}", replayed.text);
    return true;
  });
}

// What each rule is for: leaves out one after the other and asks whether the calls notice.
void remove_each_rule(const std::vector<StoredCall>& calls, Tally& tally) {
  for (const OpInfo* op : all_ops()) {
    const bool present = std::any_of(calls.begin(), calls.end(),
                                     [op](const StoredCall& stored) { return stored.op == op; });
    if (!present) continue;
    const std::vector<std::size_t> unnoticed = unnoticed_rules(*op, calls);
    for (const std::size_t rule : unnoticed) {
      fmt::print("FINDING no call notices that {} is left out\n", numbered_id(*op, rule));
    }
    tally.findings += unnoticed.size();
    fmt::print("{}: {} of {} rules are noticed when left out\n", op->name,
               op->rules.size() - unnoticed.size(), op->rules.size());
  }
}

// A rule that is left out must be one, and of an op that a call is of.
void check_left_out(const std::string& id, const std::vector<StoredCall>& calls) {
  const auto has_it = [&id](const OpInfo* op) { return rule_index(*op, id) != kNoRule; };
  const auto ops = all_ops();
  if (std::none_of(ops.begin(), ops.end(), has_it)) {
    throw FileError(fmt::format("--without-rule: expected the id of a rule, got {}", id));
  }
  const auto is_its = [&](const StoredCall& stored) { return has_it(stored.op); };
  if (std::none_of(calls.begin(), calls.end(), is_its)) {
    throw FileError(fmt::format("--without-rule: {} is a rule of none of the calls' ops", id));
  }
}

int run(int argc, char** argv) {
  CLI::App app("Judges stored calls: verdict, rule, message, result, witnesses.",
               "prelaunch replay");
  Options options;
  app.add_option("inputs", options.inputs, "JSON calls, or folders of them")->required();
  app.add_option("--without-rule", options.without_rule,
                 "Leave one rule out of the contract, to see what it is for");
  app.add_flag("--quiet", options.quiet, "Print findings and the last line only");
  app.add_flag("--json", options.json, "One JSON object a call");
  app.add_flag("--each-rule", options.each_rule,
               "Leave out each rule in turn; a rule whose absence no call notices is a finding")
      ->excludes("--without-rule")
      ->excludes("--json");
  app.footer(
      "Exit codes: 0 as expected, 1 finding, 2 usage or bad input, 130 interrupted.\n"
      "Example: prelaunch replay corpus/ulysses_pack/seed/accept-small_fused.json");
  if (const auto code = parse_ended(app, argc, argv)) return *code;
  Tally tally;
  const std::vector<StoredCall> calls = load(options, tally);
  if (!options.without_rule.empty()) check_left_out(options.without_rule, calls);
  if (options.each_rule) {
    find_misjudged(calls, tally);
    remove_each_rule(calls, tally);
  } else {
    replay_calls(calls, options, tally);
  }
  return tally.exit_code();
}

}  // namespace
}  // namespace prelaunch::fuzz

int main(int argc, char** argv) {
  return prelaunch::fuzz::run_tool("prelaunch replay", prelaunch::fuzz::run, argc, argv);
}
