#include "fuzz/campaign/ledger.h"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/campaign/finding.h"
#include "fuzz/codec.h"
#include "fuzz/files.h"
#include "fuzz/json.h"
#include "kernels/common/escape.h"
#include "kernels/common/json_node.h"

namespace prelaunch::fuzz {
namespace {

constexpr std::string_view kSchema = "prelaunch.ledger/1";

void read_call(const Node& node, KnownFinding& out) {
  try {
    ParsedCall parsed = parse_call(node.dump());
    out.op = parsed.op;
    out.trial = {parsed.named.call, parsed.named.expect};
    canonical(*out.op, out.trial.call);
  } catch (const BadCall& error) {
    node.unexpected(fmt::format("a call ({})", error.what()));
  }
}

bool read_state(const Node& node) {
  const std::string state = node.text();
  if (state != "tolerated" && state != "quarantined") {
    node.unexpected("\"tolerated\" or \"quarantined\"");
  }
  return state == "quarantined";
}

void read_where(const Node& node, KnownFinding& out) {
  for (const Node& item : node.items()) {
    if (!is_property(*out.op, item.text())) {
      item.unexpected("a property of an argument, like q.dtype, q.shape[1] or world_size.value");
    }
    out.where.push_back(item.text());
  }
}

KnownFinding read_known(const Node& node) {
  KnownFinding out;
  out.bucket = node.at("bucket").text();
  if (!is_finding_id(out.bucket)) {
    node.at("bucket").unexpected("a name of letters, digits, '_' and '-'");
  }
  out.quarantined = read_state(node.at("state"));
  out.reference = visible(node.at("reference").text());
  if (out.reference.empty()) node.at("reference").unexpected("where the finding is looked after");
  read_call(node.at("call"), out);
  if (!out.bucket.starts_with(std::string(out.op->name) + "-")) {
    node.at("bucket").unexpected(fmt::format("a bucket of the call's op, {}", out.op->name));
  }
  if (const auto where = node.find("where")) read_where(*where, out);
  return out;
}

}  // namespace

Ledger parse_ledger(std::string_view text) {
  const nlohmann::json json = parse_json(text);
  const Node root(json);
  const Node schema = root.at("schema");
  if (schema.text() != kSchema) schema.unexpected(fmt::format("\"{}\"", kSchema));
  Ledger out;
  for (const Node& node : root.at("known").items()) {
    KnownFinding known = read_known(node);
    const bool twice = std::any_of(out.begin(), out.end(), [&known](const KnownFinding& other) {
      return other.bucket == known.bucket;
    });
    if (twice) node.at("bucket").unexpected("each bucket once");
    out.push_back(std::move(known));
  }
  return out;
}

Ledger read_ledger(const std::filesystem::path& file) {
  try {
    return parse_ledger(read_file(file, kMaxLedgerBytes));
  } catch (const JsonError& error) {
    throw FileError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

std::vector<Quarantine> quarantine_of(const Ledger& ledger, const OpInfo& op) {
  std::vector<Quarantine> out;
  for (const KnownFinding& known : ledger) {
    if (known.op == &op && known.quarantined) out.push_back({known.trial.call, known.where});
  }
  return out;
}

}  // namespace prelaunch::fuzz
