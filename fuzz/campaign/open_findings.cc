#include "fuzz/campaign/open_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "fuzz/campaign/finding.h"
#include "fuzz/campaign/fuzzer.h"
#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/replay.h"
#include "fuzz/codec.h"
#include "fuzz/files.h"
#include "fuzz/json.h"
#include "kernels/common/escape.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

// More than a night can find: restarts are counted.
constexpr std::size_t kMostRecalled = 1000;

struct Target {
  const OpInfo* op;
  Profile profile;
};

// Whose file it is: of "<op>_<profile>-..." an input's, of "<op>-<profile>-..." a call's.
std::optional<Target> target_of(const std::vector<const OpInfo*>& ops, const std::string& name) {
  for (const OpInfo* op : ops) {
    for (const Profile profile : {Profile::kValidate, Profile::kExecute}) {
      const std::string call = fmt::format("{}-{}-", op->name, to_string(profile));
      if (name.starts_with(target_name(*op, profile) + "-") || name.starts_with(call)) {
        return Target{op, profile};
      }
    }
  }
  return std::nullopt;
}

class Recall {
 public:
  Recall(const fs::path& folder, const std::vector<const OpInfo*>& ops, const fs::path& out,
         const Ledger& ledger, std::vector<std::string>& untrusted)
      : folder_(folder), ops_(ops), out_(out), ledger_(ledger), untrusted_(untrusted) {}

  std::vector<OpenFinding> run() {
    std::vector<fs::path> files = list_files(folder_, "");
    if (files.size() > kMostRecalled) files.resize(kMostRecalled);
    for (const fs::path& path : files) {
      if (interrupted()) break;
      const auto target = target_of(ops_, path.filename().string());
      if (!target) continue;
      if (path.extension() == ".json")
        take_call(*target, path);
      else
        take_input(*target, path);
    }
    return std::move(recalled_);
  }

 private:
  void take_call(const Target& target, const fs::path& path) {
    const std::string id = path.stem().string();
    if (!is_finding_id(id)) return;
    try {
      const StoredCall stored = load_call(path);
      if (stored.op != target.op) throw FileError(path.string() + ": a call of another op");
      judge(target, id, {stored.named.call, stored.named.expect}, path);
    } catch (const FileError& error) {
      untrusted_.push_back(
          fmt::format("an open finding cannot be read: {}", visible(error.what())));
    }
  }

  void take_input(const Target& target, const fs::path& path) {
    std::error_code error;
    if (fs::file_size(path, error) > kMaxInputBytes || error) return;
    const std::string bytes = read_file(path, kMaxInputBytes);
    Trial trial;
    trial.expect =
        decode(*target.op, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
               trial.call);
    canonical(*target.op, trial.call);
    judge(target, "", trial, path);
  }

  // Of an input the id is not known yet.
  void judge(const Target& target, std::string id, const Trial& trial, const fs::path& path) {
    Call clean = trial.call;
    canonical(*target.op, clean);
    if (is_quarantined(*target.op, clean, quarantine_of(ledger_, *target.op))) return;
    const Sighting seen = judge_one(*target.op, trial);
    std::error_code ignored;
    if (!seen.is_finding()) {
      fmt::print("{}: no longer shows\n", path.filename().string());
      fs::remove(path, ignored);
      return;
    }
    const std::string rule = seen.rule == kNoRule ? "" : full_id(*target.op, seen.rule);
    const LogFinding said{seen.reason, rule, visible(seen.detail)};
    if (id.empty()) id = finding_id(*target.op, target.profile, said);
    const NamedCall named{id, said.reason + ": " + said.detail, trial.call, trial.expect};
    const std::string text = format_call(*target.op, named);
    write_file(out_ / "findings" / (id + ".json"), text);
    if (path.extension() != ".json") {  // an input, which is a call from now on
      write_file(folder_ / (id + ".json"), text);
      fs::remove(path, ignored);
    }
    recalled_.push_back({target.op, target.profile, finding_of(id, said), seen});
  }
  Finding finding_of(const std::string& id, const LogFinding& said) const {
    const std::string call = fmt::format("findings/{}.json", id);
    return {.id = id,
            .reason = said.reason,
            .rule = said.rule,
            .detail = said.detail,
            .call = call,
            .replay = "./prelaunch replay " + shell_word(fs::absolute(out_ / call).string())};
  }

  const fs::path& folder_;
  const std::vector<const OpInfo*>& ops_;
  const fs::path& out_;
  const Ledger& ledger_;
  std::vector<std::string>& untrusted_;
  std::vector<OpenFinding> recalled_;
};

}  // namespace

fs::path open_findings_folder(const fs::path& root) {
  return root / "corpus" / ".work" / ".findings";
}

std::vector<OpenFinding> recall_findings(const fs::path& folder,
                                         const std::vector<const OpInfo*>& ops,
                                         const Ledger& ledger, const fs::path& out,
                                         std::vector<std::string>& untrusted) {
  return Recall(folder, ops, out, ledger, untrusted).run();
}

}  // namespace prelaunch::fuzz
