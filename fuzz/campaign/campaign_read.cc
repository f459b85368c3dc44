#include "fuzz/campaign/campaign_read.h"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/campaign/finding.h"
#include "fuzz/files.h"
#include "kernels/common/escape.h"
#include "kernels/common/json_node.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kSchema = "prelaunch.campaign/1";

std::uint64_t count_up_to(const Node& node, std::uint64_t most) {
  const std::uint64_t count = node.count();
  if (count > most) node.unexpected(fmt::format("a number of at most {}", most));
  return count;
}

double seconds_of(const Node& node) {
  const double seconds = node.amount();
  if (!(seconds <= kMaxSeconds)) node.unexpected(fmt::format("at most {} seconds", kMaxSeconds));
  return seconds;
}

std::string line_of(const Node& node) { return visible(node.text()); }

std::vector<std::string> lines_of(const Node& node) {
  std::vector<std::string> out;
  for (const Node& item : node.items()) out.push_back(line_of(item));
  return out;
}

bool flag_of(const Node& object, const char* key, bool otherwise) {
  const auto node = object.find(key);
  return node ? node->boolean() : otherwise;
}

std::optional<Shard> read_shard(const Node& context) {
  const auto node = context.find("shard");
  if (!node) return std::nullopt;
  const std::uint64_t count = count_up_to(node->at("count"), kMaxShards);
  const std::uint64_t index = node->at("index").count();
  if (index >= count) node->at("index").unexpected(fmt::format("less than the count, {}", count));
  return Shard{static_cast<unsigned>(index), static_cast<unsigned>(count)};
}

void read_provenance_of(const Node& context, Provenance& out) {
  out.commit = line_of(context.at("commit"));
  out.dirty = context.at("dirty").boolean();
  out.machine = line_of(context.at("machine"));
  out.cpu = line_of(context.at("cpu"));
  out.cores = static_cast<unsigned>(count_up_to(context.at("cores"), 1u << 20));
  out.compiler = line_of(context.at("compiler"));
  out.flags = line_of(context.at("flags"));
  out.sanitizers = line_of(context.at("sanitizers"));
  out.started = line_of(context.at("started"));
}

// What came after the first files of this schema may be absent.
void read_context(const Node& context, CampaignResult& out) {
  read_provenance_of(context, out.provenance);
  out.seed = context.at("seed").count();
  out.seconds = seconds_of(context.at("seconds"));
  out.interrupted = context.at("interrupted").boolean();
  out.ended = flag_of(context, "ended", true);
  out.shard = read_shard(context);
  if (const auto merged = context.find("merged")) out.merged = lines_of(*merged);
}

// findings/<id>.json, or a stored call; nothing else is looked for, in no other folder.
bool is_call(const OpInfo& op, const std::string& id, const std::string& call) {
  if (call == fmt::format("findings/{}.json", id)) return true;
  const fs::path path = call;
  const bool inside = std::none_of(
      path.begin(), path.end(), [](const fs::path& part) { return part == ".." || part == "."; });
  return inside && call.starts_with(fmt::format("corpus/{}/", op.name)) && call == visible(call) &&
         path.extension() == ".json";
}

Finding read_finding_of(const OpInfo& op, const Node& node) {
  const std::string id = node.at("id").text();
  if (!is_finding_id(id)) node.at("id").unexpected("a name of letters, digits, '_' and '-'");
  const std::string call = node.at("call").text();
  if (!is_call(op, id, call)) {
    node.at("call").unexpected(
        fmt::format("findings/{}.json or a .json file in corpus/{}", id, op.name));
  }
  const auto rule = node.find("rule");
  return {.id = id,
          .reason = line_of(node.at("reason")),
          .rule = rule ? line_of(*rule) : std::string(),
          .detail = line_of(node.at("detail")),
          .call = call,
          // The file's own is nothing to paste into a shell.
          .replay = "./prelaunch replay " + shell_word(call)};
}

const OpInfo& read_op(const Node& node) {
  const OpInfo* op = find_op(node.text());
  if (op == nullptr) node.unexpected("the name of an op");
  return *op;
}

Profile read_profile(const Node& node) {
  const std::string text = node.text();
  for (const Profile profile : {Profile::kValidate, Profile::kExecute}) {
    if (text == to_string(profile)) return profile;
  }
  node.unexpected("\"validate\" or \"execute\"");
}

EngineKind read_engine(const Node& node) {
  const auto engine = engine_named(node.text());
  if (!engine) node.unexpected("\"libfuzzer\" or \"afl\"");
  return *engine;
}

void read_rules(const OpInfo& op, const Node& node, Stats& stats) {
  for (const auto& [id, fired] : node.members()) {
    const std::size_t rule = rule_index(op, id);
    // As it is written: one number for all rules of an id, so that it can be written again.
    if (rule == kNoRule || full_id(op, rule) != id) {
      fired.unexpected(fmt::format("the count of a rule of {}", op.name));
    }
    stats.fired[rule] = count_up_to(fired, kMaxCount);
  }
}

TargetResult read_target(const Node& node) {
  const auto count = [&node](const char* key) { return count_up_to(node.at(key), kMaxCount); };
  // What came after the first files of this schema.
  const auto later_count = [&node](const char* key) {
    const auto found = node.find(key);
    return found ? count_up_to(*found, kMaxCount) : 0;
  };
  TargetResult out;
  out.op = &read_op(node.at("op"));
  out.profile = read_profile(node.at("profile"));
  out.engine = read_engine(node.at("engine"));
  out.stats = {.executions = count("executions"),
               .accepted = count("accepted"),
               .rejected = count("rejected"),
               .executed = count("executed"),
               .valid = later_count("valid"),
               .violations = later_count("violations"),
               .fired = {}};
  out.seconds = seconds_of(node.at("seconds"));
  out.corpus = count("corpus");
  out.features = count("features");
  read_rules(*out.op, node.at("rules_fired"), out.stats);
  for (const Node& finding : node.at("findings").items()) {
    add_finding(read_finding_of(*out.op, finding), out.findings);
  }
  return out;
}

KnownState read_known(const Node& node) {
  KnownState out;
  out.bucket = node.at("id").text();
  if (!is_finding_id(out.bucket))
    node.at("id").unexpected("a name of letters, digits, '_' and '-'");
  out.op = &read_op(node.at("op"));
  const std::string state = node.at("state").text();
  if (state != "tolerated" && state != "quarantined") {
    node.at("state").unexpected("\"tolerated\" or \"quarantined\"");
  }
  out.quarantined = state == "quarantined";
  out.reference = line_of(node.at("reference"));
  out.reason = line_of(node.at("reason"));
  out.detail = line_of(node.at("detail"));
  out.seen = count_up_to(node.at("seen"), kMaxCount);
  return out;
}

void read_targets(const Node& targets, CampaignResult& out) {
  for (const Node& node : targets.items()) {
    TargetResult target = read_target(node);
    const auto same = [&target](const TargetResult& other) {
      return other.op == target.op && other.profile == target.profile;
    };
    if (std::any_of(out.targets.begin(), out.targets.end(), same)) {
      node.unexpected("each target once");
    }
    out.targets.push_back(std::move(target));
  }
}

// A file that is not one of ours must not look better than it is.
void doubt(const Node& verdict, CampaignResult& out) {
  const std::string said = verdict.text();
  if (said != "clean" && said != "findings" && said != "untrusted") {
    verdict.unexpected("\"clean\", \"findings\" or \"untrusted\"");
  }
  const auto known = std::find(out.untrusted.begin(), out.untrusted.end(), kNotEnded);
  if (!out.ended && known == out.untrusted.end()) out.untrusted.emplace_back(kNotEnded);
  if (said == out.verdict()) return;
  out.untrusted.push_back(
      fmt::format("its verdict is {}, its content says {}", said, out.verdict()));
}

}  // namespace

CampaignResult parse_campaign(std::string_view text) {
  const nlohmann::json json = parse_json(text);
  const Node root(json);
  const Node schema = root.at("schema");
  if (schema.text() != kSchema) schema.unexpected(fmt::format("\"{}\"", kSchema));
  CampaignResult out;
  out.untrusted = lines_of(root.at("reasons"));
  read_context(root.at("context"), out);
  if (const auto known = root.find("known")) {
    for (const Node& node : known->items()) out.known.push_back(read_known(node));
  }
  read_targets(root.at("targets"), out);
  doubt(root.at("verdict"), out);
  return out;
}

CampaignResult read_campaign(const fs::path& file) {
  try {
    return parse_campaign(read_file(file, kMaxCampaignBytes));
  } catch (const JsonError& error) {
    throw FileError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace prelaunch::fuzz
