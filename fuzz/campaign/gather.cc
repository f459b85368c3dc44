#include "fuzz/campaign/gather.h"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/campaign/finding.h"
#include "fuzz/campaign/fuzzer.h"
#include "fuzz/campaign/replay.h"
#include "fuzz/files.h"
#include "kernels/common/escape.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLogTail = std::size_t{1} << 16;
constexpr std::string_view kWritten = "Test unit written to ";

// Regular files of a folder that need not be there.
std::vector<fs::path> files_in(const fs::path& folder, std::string_view extension) {
  std::error_code ignored;
  return fs::is_directory(folder, ignored) ? list_files(folder, extension)
                                           : std::vector<fs::path>{};
}

// "-3-crash-0123" after a target's name is its worker 3's; says where the worker's number ends.
std::size_t worker_end(std::string_view name, std::string_view target) {
  if (!name.starts_with(target) || !name.substr(target.size()).starts_with('-')) return 0;
  const std::size_t digits = target.size() + 1;
  const std::size_t end = std::min(name.find_first_not_of("0123456789", digits), name.size());
  return end > digits && name.substr(end).starts_with('-') ? end : 0;
}

class Gatherer {
 public:
  Gatherer(MergedFolder& folder, const fs::path& out, std::set<std::string>& taken)
      : folder_(folder), out_(out), taken_(taken) {}

  void gather() {
    for (TargetResult& target : folder_.result.targets) {
      for (Finding& finding : target.findings) listed_.insert(finding.id);
    }
    for (TargetResult& target : folder_.result.targets) {
      for (Finding& finding : target.findings) take_listed(finding);
    }
    for (const OpInfo* op : all_ops()) {
      for (const Profile profile : {Profile::kValidate, Profile::kExecute}) {
        take_calls(*op, profile);
        take_inputs(*op, profile);
      }
    }
  }

 private:
  void distrust(std::string reason) { folder_.result.untrusted.push_back(std::move(reason)); }
  fs::path source(const std::string& id) const {
    return folder_.path / "findings" / (id + ".json");
  }
  void point_at_copy(Finding& finding) const {
    finding.call = fmt::format("findings/{}.json", finding.id);
    finding.replay = "./prelaunch replay " + shell_word(fs::absolute(out_ / finding.call).string());
  }

  // A call that is no call is not copied.
  std::optional<StoredCall> copy(const std::string& id) {
    try {
      StoredCall call = load_call(source(id));
      if (taken_.insert(id).second) {
        write_file(out_ / "findings" / (id + ".json"), format_call(*call.op, call.named));
      }
      return call;
    } catch (const FileError& error) {
      distrust(fmt::format("the call of a finding cannot be read: {}", visible(error.what())));
      return std::nullopt;
    }
  }

  void take_listed(Finding& finding) {
    if (finding.call.starts_with("corpus/")) return;  // it lies in every checkout
    copy(finding.id);
    point_at_copy(finding);
  }

  TargetResult& target_of(const OpInfo& op, Profile profile) {
    for (TargetResult& target : folder_.result.targets) {
      if (target.op == &op && target.profile == profile) return target;
    }
    TargetResult& added = folder_.result.targets.emplace_back();
    added.op = &op;
    added.profile = profile;
    return added;
  }

  // Killed after a finding became a call, and before campaign.json said so. The reason and the
  // details are what the call is there for.
  void take_calls(const OpInfo& op, Profile profile) {
    const std::string start = fmt::format("{}-{}-", op.name, to_string(profile));
    for (const fs::path& path : files_in(folder_.path / "findings", ".json")) {
      const std::string id = path.stem().string();
      if (!id.starts_with(start) || !is_finding_id(id) || listed_.contains(id)) continue;
      const auto call = copy(id);
      if (!call) continue;
      const auto [reason, detail] = told_by(call->named.why);
      Finding finding{
          .id = id, .reason = reason, .rule = "", .detail = detail, .call = "", .replay = ""};
      point_at_copy(finding);
      add_finding(std::move(finding), target_of(op, profile).findings);
    }
  }

  // Killed after a fuzzer ended, and before its input became a call.
  void take_inputs(const OpInfo& op, Profile profile) {
    const std::string target = target_name(op, profile);
    std::set<std::string> workers;
    for (const fs::path& path : files_in(folder_.path / "findings", "")) {
      const std::string name = path.filename().string();
      if (const std::size_t end = worker_end(name, target)) workers.insert(name.substr(0, end));
    }
    for (const std::string& worker : workers) {
      for (const fs::path& input : artifacts_of(folder_.path / "findings" / worker)) {
        take_input(op, profile, input, worker);
      }
    }
  }
  void take_input(const OpInfo& op, Profile profile, const fs::path& input,
                  const std::string& worker) {
    std::error_code error;
    if (fs::file_size(input, error) > kMaxInputBytes || error) {
      return distrust(fmt::format("expected an input of at most {} bytes, got {}", kMaxInputBytes,
                                  visible(input.filename().string())));
    }
    Finding finding = gather_input(op, profile, input, log_of(input, worker), out_);
    taken_.insert(finding.id);
    add_finding(std::move(finding), target_of(op, profile).findings);
  }

  // The log, of those of a worker's starts, that names the input; empty when none does.
  std::string log_of(const fs::path& input, const std::string& worker) const {
    for (const fs::path& path : files_in(folder_.path / "logs", ".log")) {
      if (!path.filename().string().starts_with(worker + ".")) continue;
      std::string log = read_tail(path, kLogTail);
      if (log.find(input.filename().string()) != log.npos) return log;
    }
    return {};
  }

  MergedFolder& folder_;
  const fs::path& out_;
  std::set<std::string>& taken_;
  std::set<std::string> listed_;
};

}  // namespace

void gather_findings(MergedFolder& folder, const fs::path& out, std::set<std::string>& taken) {
  Gatherer(folder, out, taken).gather();
}

Finding gather_input(const OpInfo& op, Profile profile, const fs::path& input, std::string_view log,
                     const fs::path& out) {
  const LogFinding said = read_finding(report_on(log, input.filename().string()));
  // Keeping a finding removes its input, which is not ours.
  const fs::path copy = out / "findings" / input.filename();
  write_file(copy, read_file(input, kMaxInputBytes));
  return keep_finding(op, profile, copy, said);
}

std::string_view report_on(std::string_view log, std::string_view input) {
  const std::size_t named = log.find(input);
  if (named == log.npos) return {};
  const std::size_t line = log.substr(0, named).rfind('\n');
  if (line == log.npos) return {};
  const std::string_view before = log.substr(0, line + 1);
  const std::size_t other = before.rfind(kWritten);
  return other == before.npos ? before : before.substr(other);
}

}  // namespace prelaunch::fuzz
