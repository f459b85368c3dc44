#include "fuzz/campaign/replay.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "fuzz/campaign/answers.h"
#include "fuzz/campaign/log.h"
#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

std::string witnesses(const door::Counts& seen) {
  return fmt::format("door: launches {}, allocations {}, copies {}, device sets {}", seen.launches,
                     seen.allocations, seen.copies, seen.device_sets);
}

std::string verdict_line(const StoredCall& stored, const Judgement& judgement) {
  std::string out = judgement.accepted ? std::string("accepted")
                                       : "rejected by " + numbered_id(*stored.op, judgement.rule);
  const Expectation& expect = stored.named.expect;
  if (expect.verdict == Verdict::kUnknown) return out + " (nothing was expected)";
  if (judgement.reason == Reason::kWrongArgument) {
    return out + "; expected: blaming " + std::string(stored.op->fields[expect.argument].name);
  }
  const bool wrong = judgement.reason == Reason::kAcceptedBadCall ||
                     judgement.reason == Reason::kRejectedGoodCall ||
                     judgement.reason == Reason::kWrongRule;
  if (!wrong) return out + ", as expected";
  if (expect.verdict == Verdict::kAccept) return out + "; expected: accepted";
  return out + "; expected: rejected" +
         (expect.rule == kNoRule ? "" : " by " + numbered_id(*stored.op, expect.rule));
}

std::string result_line(const Judgement& judgement) {
  if (judgement.is_finding()) {
    return fmt::format("FINDING {}: {}", to_string(judgement.reason), judgement.detail);
  }
  if (judgement.runs == 0) return "not run: too large for the emulator, or lies in no buffer";
  return fmt::format("right in {} orders of threads, {} output elements compared", judgement.runs,
                     judgement.compared);
}

std::string text_of(const StoredCall& stored, const Judgement& judgement) {
  std::string out = stored.path.string() + "\n";
  const auto add = [&out](std::string_view label, std::string_view value) {
    out += fmt::format("  {:<10} {}\n", label, value);
  };
  add("verdict", verdict_line(stored, judgement));
  if (judgement.explanation.has_value()) {
    add("message", judgement.explanation->message);
    add("argument", judgement.explanation->argument);
    add("arguments", judgement.explanation->arguments);
  }
  if (judgement.accepted || judgement.is_finding()) add("result", result_line(judgement));
  add("witnesses", witnesses(judgement.door));
  return out;
}

std::string json_of(const StoredCall& stored, const Judgement& judgement) {
  Json out = {{"file", stored.path.string()}, {"op", std::string(stored.op->name)}};
  out["verdict"] = judgement.accepted ? "accept" : "reject";
  out["rule"] = judgement.accepted ? Json(nullptr) : Json(full_id(*stored.op, judgement.rule));
  if (judgement.explanation.has_value()) {
    out["message"] = judgement.explanation->message;
    out["argument"] = judgement.explanation->argument;
  }
  out["runs"] = judgement.runs;
  out["witnesses"] = {{"launches", judgement.door.launches},
                      {"allocations", judgement.door.allocations},
                      {"copies", judgement.door.copies},
                      {"device_sets", judgement.door.device_sets}};
  out["finding"] =
      judgement.is_finding() ? Json(std::string(to_string(judgement.reason))) : Json(nullptr);
  if (judgement.is_finding()) out["detail"] = judgement.detail;
  return out.dump(-1, ' ', true, Json::error_handler_t::replace);
}

Replayed fault(const StoredCall& stored, int status, std::string_view report) {
  const std::string how = WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status),
                                                            strsignal(WTERMSIG(status)))
                                              : fmt::format("exit code {}", WEXITSTATUS(status));
  Replayed out;
  out.finding = true;
  const LogFinding said = read_finding(report);
  out.reason = said.reason == "ended" ? "fault" : said.reason;
  out.detail = said.reason == "ended" ? how : said.detail;
  out.text = fmt::format(
      "{}\n  verdict    none\n  result     FINDING {}: {}; judging the call ended its process with "
      "{}, "
      "the report is above\n",
      stored.path.string(), out.reason, out.detail, how);
  out.json = Json({{"file", stored.path.string()},
                   {"op", std::string(stored.op->name)},
                   {"verdict", nullptr},
                   {"finding", out.reason},
                   {"detail", out.detail}})
                 .dump(-1, ' ', true, Json::error_handler_t::replace);
  return out;
}

// Of an answer: the text, a NUL, the JSON.
Replayed parsed(const std::string& answer) {
  const auto split = answer.find('\0');
  Replayed out;
  out.judged = true;
  out.text = answer.substr(0, split);
  out.json = answer.substr(split + 1);
  const Json said = Json::parse(out.json);
  out.finding = !said["finding"].is_null();
  out.not_run = !out.finding && said["verdict"] == "accept" && said["runs"] == 0;
  if (out.finding) {
    out.reason = said["finding"].get<std::string>();
    out.detail = said["detail"].get<std::string>();
  }
  return out;
}

// Whether a call is judged otherwise than expected without the rule, and only then.
bool is_noticed(const OpInfo& op, const std::vector<StoredCall>& calls, std::size_t rule) {
  const JudgeOptions whole{.profile = Profile::kValidate, .explain = Explain::kNever};
  JudgeOptions without = whole;
  without.without_rule = rule;
  return std::any_of(calls.begin(), calls.end(), [&](const StoredCall& stored) {
    const auto is_wrong = [&](const JudgeOptions& options) {
      return op.judge(stored.named.call, stored.named.expect, options).is_finding();
    };
    return stored.op == &op && is_wrong(without) && !is_wrong(whole);
  });
}

}  // namespace

StoredCall load_call(const fs::path& path) {
  const std::string text = read_file(path, kMaxCallBytes);
  try {
    ParsedCall parsed = parse_call(text);
    parsed.named.name = path.stem().string();
    return {path, parsed.op, std::move(parsed.named)};
  } catch (const BadCall& error) {
    throw FileError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

std::vector<fs::path> call_files(const std::vector<fs::path>& inputs) {
  std::vector<fs::path> out;
  for (const fs::path& input : inputs) {
    std::error_code error;
    if (!fs::is_directory(input, error)) {
      out.push_back(input);
      continue;
    }
    const std::size_t first = out.size();
    for (fs::recursive_directory_iterator it(input, error), end; !error && it != end;
         it.increment(error)) {
      if (it->path().extension() == ".json") out.push_back(it->path());
    }
    if (error) throw FileError(fmt::format("{}: cannot list: {}", input.string(), error.message()));
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
  }
  return out;
}

void replay_each(std::span<const StoredCall> calls, const OptionsOf& options_of, const Take& take) {
  const auto answer = [&](std::size_t i) {
    const StoredCall& stored = calls[i];
    const Judgement judgement =
        stored.op->judge(stored.named.call, stored.named.expect, options_of(stored));
    return text_of(stored, judgement) + '\0' + json_of(stored, judgement);
  };
  for (std::size_t next = 0; next < calls.size();) {
    Answers answers(next, calls.size(), answer);
    while (const auto text = answers.next()) {
      if (!take(calls[next++], parsed(*text))) return;
    }
    if (next == calls.size()) return;
    const auto [status, report] = answers.end();
    std::fputs(report.c_str(), stderr);
    const StoredCall& faulty = calls[next++];
    if (!take(faulty, fault(faulty, status, report))) return;
  }
}

Replayed replay(const StoredCall& stored, const JudgeOptions& options) {
  Replayed out;
  replay_each(
      {&stored, 1}, [&](const StoredCall&) { return options; },
      [&](const StoredCall&, const Replayed& replayed) {
        out = replayed;
        return true;
      });
  return out;
}

// In children: what a later rule divides by may be what the one left out keeps from being 0, and to
// end the process is noticing too.
std::vector<std::size_t> unnoticed_rules(const OpInfo& op, const std::vector<StoredCall>& calls) {
  const auto answer = [&](std::size_t rule) {
    return std::string(is_noticed(op, calls, rule) ? "noticed" : "");
  };
  std::vector<std::size_t> out;
  for (std::size_t next = 0; next < op.rules.size(); ++next) {
    Answers answers(next, op.rules.size(), answer);
    for (; const auto text = answers.next(); ++next) {
      if (text->empty()) out.push_back(next);
    }
  }
  return out;
}

}  // namespace prelaunch::fuzz
