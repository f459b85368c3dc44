#include "fuzz/campaign/join.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "fuzz/campaign/fuzzer.h"
#include "fuzz/campaign/interrupt.h"
#include "fuzz/campaign/process.h"
#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

fs::path work_corpus(const MergeOptions& options, const OpInfo& op, Profile profile) {
  return options.root / "corpus" / ".work" / target_name(op, profile);
}

std::vector<fs::path> inputs_in(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder, ignored) ? list_files(folder, "") : std::vector<fs::path>{};
}

// What is a link may lead anywhere, and what is too large was made by no fuzzer of ours.
bool is_input(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error)) &&
         fs::file_size(path, error) <= kMaxInputBytes && !error;
}

// Copies inputs under the names that `name` gives them; says how many were none.
template <class Name>
std::size_t stage(const std::vector<fs::path>& inputs, const fs::path& folder, const Name& name) {
  std::size_t ignored = 0;
  for (const fs::path& input : inputs) {
    std::error_code error;
    if (!is_input(input) || access(input.c_str(), R_OK) != 0) {
      ++ignored;
    } else if (!fs::copy_file(input, folder / name(input), error)) {
      throw FileError(
          fmt::format("{}: cannot write: {}", (folder / name(input)).string(), error.message()));
    }
  }
  return ignored;
}

// Lets the program choose among the inputs in folder/new those that add coverage to folder/base,
// and put them there; inputs that end it go to folder/ended. Its wait status; nothing at an
// interrupt. libFuzzer's merge hands its arguments to a shell as they are: they are short and
// plain, and the folder is where it starts.
std::optional<int> run_merge(const fs::path& program, const fs::path& folder, const fs::path& log) {
  std::error_code ignored;  // a program that is not there says so in the log
  fs::remove(log, ignored);
  fs::create_symlink(fs::absolute(program), folder / "fuzzer", ignored);
  std::vector<std::string> arguments = fuzzer_limits();
  arguments.insert(arguments.end(), {"-merge=1", "-merge_control_file=control",
                                     "-artifact_prefix=ended/", "base", "new"});
  Process process;
  process.start("./fuzzer", arguments, fuzzer_environment(), log, folder, Addresses::kFixed);
  while (!interrupted()) {
    if (const auto status = process.poll()) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
  process.kill_group();
  return std::nullopt;
}

class Join {
 public:
  Join(const MergeOptions& options, const OpInfo& op, Profile profile)
      : options_(options), folder_(options.out / ".parts" / target_name(op, profile)) {
    joined_.op = &op;
    joined_.profile = profile;
  }

  JoinedCorpus run(std::vector<std::string>& untrusted) {
    stage_inputs();
    if (joined_.offered > joined_.ignored && !interrupted()) choose(untrusted);
    return std::move(joined_);
  }

 private:
  std::string name() const { return target_name(*joined_.op, joined_.profile); }

  // The work corpus keeps its names, by which what is gained is told from it.
  void stage_inputs() {
    for (const char* part : {"base", "new", "ended"}) make_folder(folder_ / part);
    const std::vector<fs::path> had =
        inputs_in(work_corpus(options_, *joined_.op, joined_.profile));
    joined_.had = had.size();
    stage(had, folder_ / "base", [](const fs::path& input) { return input.filename(); });
    std::size_t next = 0;
    for (const fs::path& folder : options_.folders) {
      const std::vector<fs::path> inputs = inputs_in(folder / "corpus" / name());
      joined_.offered += inputs.size();
      joined_.ignored += stage(inputs, folder_ / "new",
                               [&next](const fs::path&) { return std::to_string(next++); });
    }
  }

  void choose(std::vector<std::string>& untrusted) {
    const fs::path program = fuzzer_program(options_.programs, *joined_.op, joined_.profile);
    if (!is_executable(program)) {
      untrusted.push_back(fmt::format("{} is missing", program.filename().string()));
      return;
    }
    const std::vector<fs::path> before = inputs_in(folder_ / "base");
    const auto status = run_merge(program, folder_, log());
    if (!status) return;
    if (*status != 0) {
      untrusted.push_back(fmt::format("joining the corpora of {} ended with {}: see logs/{}",
                                      name(), how_it_ended(*status), log().filename().string()));
      return;
    }
    const std::vector<fs::path> after = inputs_in(folder_ / "base");
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                        std::back_inserter(joined_.gained));
    joined_.ended = inputs_in(folder_ / "ended");
  }

  fs::path log() const { return join_log(options_.out, *joined_.op, joined_.profile); }

  const MergeOptions& options_;
  fs::path folder_;
  JoinedCorpus joined_;
};

bool has_inputs(const MergeOptions& options, const OpInfo& op, Profile profile) {
  return std::any_of(options.folders.begin(), options.folders.end(), [&](const fs::path& folder) {
    return !inputs_in(folder / "corpus" / target_name(op, profile)).empty();
  });
}

}  // namespace

fs::path join_log(const fs::path& out, const OpInfo& op, Profile profile) {
  return out / "logs" / fmt::format("merge-{}.log", target_name(op, profile));
}

std::vector<JoinedCorpus> join_corpora(const MergeOptions& options,
                                       std::vector<std::string>& untrusted) {
  std::vector<JoinedCorpus> out;
  for (const OpInfo* op : all_ops()) {
    for (const Profile profile : {Profile::kValidate, Profile::kExecute}) {
      if (interrupted()) return out;
      if (!has_inputs(options, *op, profile)) continue;
      out.push_back(Join(options, *op, profile).run(untrusted));
    }
  }
  return out;
}

void keep_gained(const MergeOptions& options, const JoinedCorpus& joined) {
  const fs::path work = work_corpus(options, *joined.op, joined.profile);
  if (!joined.gained.empty()) make_folder(work);
  for (const fs::path& input : joined.gained) {
    write_file(work / input.filename(), read_file(input, kMaxInputBytes));
  }
}

std::optional<Minimized> minimize_corpus(const fs::path& program, const fs::path& seeds,
                                         const fs::path& work, const fs::path& scratch,
                                         const fs::path& log) {
  std::error_code ignored;
  fs::remove_all(scratch, ignored);
  for (const char* part : {"base", "new", "ended"}) make_folder(scratch / part);
  const auto own_name = [](const fs::path& input) { return input.filename(); };
  const std::vector<fs::path> inputs = inputs_in(work);
  stage(inputs_in(seeds), scratch / "base", own_name);
  stage(inputs, scratch / "new", own_name);
  const auto status = run_merge(program, scratch, log);
  if (!status || *status != 0 || !inputs_in(scratch / "ended").empty()) return std::nullopt;
  Minimized out{inputs.size(), 0};
  for (const fs::path& input : inputs) {
    const bool chosen = fs::exists(scratch / "base" / input.filename(), ignored);
    // What was no input was not offered.
    if (chosen || !is_input(input))
      ++out.kept;
    else
      fs::remove(input, ignored);
  }
  fs::remove_all(scratch, ignored);
  return out;
}

std::size_t work_corpus_size(const MergeOptions& options, const OpInfo& op, Profile profile) {
  return inputs_in(work_corpus(options, op, profile)).size();
}

}  // namespace prelaunch::fuzz
