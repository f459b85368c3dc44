#include "fuzz/campaign/engine_afl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "fuzz/campaign/afl_text.h"
#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

using std::chrono::seconds;

// How often it is looked at what was found, and the age from which a file is surely whole.
constexpr seconds kInterval{5}, kSettled{2};
constexpr std::size_t kMaxStats = std::size_t{1} << 16;
constexpr std::size_t kLogPart = std::size_t{1} << 20;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder, ignored) ? list_files(folder, "") : std::vector<fs::path>{};
}

// Its content; nothing for what is no input of ours.
std::optional<std::string> content_of(const fs::path& path) {
  std::error_code error;
  const bool fits = fs::is_regular_file(fs::symlink_status(path, error)) &&
                    fs::file_size(path, error) <= kMaxInputBytes && !error;
  if (!fits) return std::nullopt;
  return read_file(path, kMaxInputBytes);
}

// afl-fuzz writes its files in place.
bool is_settled(const fs::path& path, FuzzerState fuzzer) {
  std::error_code error;
  const auto written = fs::last_write_time(path, error);
  return fuzzer == FuzzerState::kEnded ||
         (!error && fs::file_time_type::clock::now() - written >= kSettled);
}

// What was written from `from` on, which moves to where the next part has to begin.
std::string next_part(const fs::path& log, std::uint64_t& from) {
  std::ifstream in(log, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(from));
  std::string out(kLogPart, '\0');
  in.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  from += last_dry_run(out);
  return out;
}

// Nothing of the system is changed or asked to be: what it demands is waived. A crash must end the
// target by a signal; it is explained when it is run again.
std::vector<std::pair<std::string, std::string>> afl_environment() {
  return {{"AFL_NO_UI", "1"},
          {"AFL_SKIP_CPUFREQ", "1"},
          {"AFL_NO_AFFINITY", "1"},
          {"AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1"},
          {"AFL_FORKSRV_INIT_TMOUT", "30000"},
          {"ASAN_OPTIONS",
           "abort_on_error=1:symbolize=0:detect_leaks=0:quarantine_size_mb=16:"
           "max_allocation_size_mb=2560"},
          {"UBSAN_OPTIONS", "abort_on_error=1:symbolize=0"}};
}

}  // namespace

fs::path afl_fuzz() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    const fs::path program = fs::path(folder) / "afl-fuzz";
    if (program.is_absolute() && is_executable(program)) return program;
  }
  return {};
}

fs::path afl_folder(const fs::path& work_corpora) { return work_corpora / ".afl"; }

AflEngine::AflEngine(TargetPaths paths) : paths_(std::move(paths)) {
  if (paths_.worker == 0) pick_up();
}

AflEngine::~AflEngine() {
  try {
    hand_over(own_folder(), FuzzerState::kEnded);
    std::error_code ignored;
    fs::remove_all(own_folder(), ignored);
    fs::remove(target_folder(), ignored);  // the last worker's
  } catch (const std::exception&) {
    // What is still there is picked up by the next campaign.
  }
}

fs::path AflEngine::target_folder() const {
  return afl_folder(paths_.work_corpus.parent_path()) / paths_.work_corpus.filename();
}
fs::path AflEngine::own_folder() const { return target_folder() / std::to_string(paths_.worker); }
fs::path AflEngine::seeds_folder() const {
  return fs::path(paths_.stats).replace_extension(".seeds");
}

Launch AflEngine::launch(const Start& start) {
  hand_over(own_folder(), FuzzerState::kEnded);
  std::error_code ignored;
  fs::remove_all(own_folder(), ignored);
  make_folder(target_folder());
  copy_seeds();
  taken_.clear();
  log_ = start.log;
  log_read_ = 0;
  return {afl_fuzz(), arguments(start), afl_environment()};
}

// All workers are secondary ones, one that is alone too: they share what they find without a main
// one, which would do without trimming.
std::vector<std::string> AflEngine::arguments(const Start& start) const {
  return {"-i", seeds_folder().string(),
          "-o", target_folder().string(),
          "-S", std::to_string(paths_.worker),
          "-s", std::to_string(start.seed),
          "-V", std::to_string(start.time.count()),
          "-t", std::to_string(kInputSeconds * 1000),
          "-m", "none",
          "-G", std::to_string(kMaxInputBytes),
          "-x", paths_.words.string(),
          "--", fs::absolute(paths_.program).string()};
}

// Into the one folder that it takes, without those that end the target.
void AflEngine::copy_seeds() const {
  std::error_code ignored;
  fs::remove_all(seeds_folder(), ignored);
  make_folder(seeds_folder());
  std::vector<fs::path> folders = paths_.seeds;
  folders.push_back(paths_.work_corpus);
  for (const fs::path& folder : folders) {
    for (const fs::path& path : files_in(folder)) {
      const auto content = content_of(path);
      if (!content || content->empty()) continue;
      const std::string name = content_name(*content);
      if (!ending_.contains(name)) write_file(seeds_folder() / name, *content);
    }
  }
}

LogProgress AflEngine::progress() const {
  return read_afl_stats(read_tail(own_folder() / "fuzzer_stats", kMaxStats));
}

std::vector<EndingInput> AflEngine::endings(FuzzerState fuzzer) {
  const auto now = std::chrono::steady_clock::now();
  if (fuzzer == FuzzerState::kEnded || now >= next_) {
    next_ = now + kInterval;
    take_ending_seeds();
    hand_over(own_folder(), fuzzer);
  }
  std::vector<EndingInput> out;
  if (auto known = rerun_.poll()) out.push_back(std::move(*known));
  if (!rerun_.running() && !waiting_.empty()) {
    const fs::path input = std::move(waiting_.front());
    waiting_.pop_front();
    const std::string name =
        input.filename().string().substr(paths_.artifacts.filename().string().size() + 1);
    rerun_.start(paths_.program, input, fmt::format("{}.{}.log", paths_.log.string(), name));
  }
  return out;
}

std::vector<EndingInput> AflEngine::give_up() {
  if (rerun_.running()) waiting_.push_front(rerun_.give_up());
  std::vector<EndingInput> out;
  const std::string timeouts = paths_.artifacts.filename().string() + "-timeout-";
  for (const fs::path& input : waiting_) {
    const bool timeout = input.filename().string().starts_with(timeouts);
    out.push_back(
        {input,
         timeout ? timeout_finding() : LogFinding{"ended", "", "there was no time to run it again"},
         log_});
  }
  waiting_.clear();
  return out;
}

void AflEngine::pick_up() {
  std::error_code error;
  for (fs::directory_iterator it(target_folder(), error), end; !error && it != end;
       it.increment(error)) {
    hand_over(it->path(), FuzzerState::kEnded);
  }
  fs::remove_all(target_folder(), error);
  taken_.clear();
}

void AflEngine::hand_over(const fs::path& folder, FuzzerState fuzzer) {
  take_found(folder / "queue", fuzzer);
  take_ending(folder / "crashes", "crash", fuzzer);
  take_ending(folder / "hangs", "timeout", fuzzer);
}

// An input is written beside the work corpus and moved there: it is whole, or not there.
void AflEngine::take_found(const fs::path& queue, FuzzerState fuzzer) {
  for (const fs::path& path : files_in(queue)) {
    const std::string name = path.filename().string();
    if (is_seed_of_queue(name) || !is_settled(path, fuzzer)) continue;
    if (!taken_.insert(path.string()).second) continue;
    const auto content = content_of(path);
    if (!content) continue;
    const fs::path input = paths_.work_corpus / content_name(*content);
    std::error_code error;
    if (fs::exists(input, error)) continue;
    const fs::path whole = queue.parent_path() / "whole";
    write_file(whole, *content);
    fs::rename(whole, input, error);
    if (error) {
      throw FileError(fmt::format("{}: cannot write: {}", input.string(), error.message()));
    }
  }
}

void AflEngine::take_ending(const fs::path& folder, std::string_view kind, FuzzerState fuzzer) {
  for (const fs::path& path : files_in(folder)) {
    if (!path.filename().string().starts_with("id:") || !is_settled(path, fuzzer)) continue;
    if (const auto content = content_of(path)) wait_for(kind, *content);
    std::error_code ignored;
    fs::remove(path, ignored);
  }
}

void AflEngine::take_ending_seeds() {
  if (log_.empty()) return;
  for (const std::string& name : ending_seeds(next_part(log_, log_read_))) {
    if (const auto content = content_of(seeds_folder() / name)) wait_for("crash", *content);
  }
}

// Named as libFuzzer names an input that ended it.
void AflEngine::wait_for(std::string_view kind, const std::string& content) {
  const std::string name = content_name(content);
  if (ending_.size() > kMaxRestarts || !ending_.insert(name).second) return;
  const fs::path input = fmt::format("{}-{}-{}", paths_.artifacts.string(), kind, name);
  write_file(input, content);
  waiting_.push_back(input);
}

}  // namespace prelaunch::fuzz
