#include "fuzz/conform/target_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/files.h"
#include "kernels/common/escape.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostZip = 64 << 20;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::map<std::string, std::string> section(const Options& options, const std::string& name) {
  const auto found = options.find(name);
  return found == options.end() ? std::map<std::string, std::string>{} : found->second;
}

bool executable(const fs::path& path) {
  const auto all = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  return (fs::status(path).permissions() & all) != fs::perms::none;
}

}  // namespace

Options parse_options(std::string_view text, std::vector<std::string>& wrong) {
  Options options;
  std::string section;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    const auto equals = line.find('=');
    if (line.front() == '[' && line.back() == ']') {
      section = line.substr(1, line.size() - 2);
      options[section];
    } else if (equals == line.npos || equals == 0 || section.empty()) {
      wrong.push_back(
          fmt::format("options: expected [section] or key = value, got '{}'", visible(line)));
    } else {
      options[section][std::string(trimmed(line.substr(0, equals)))] =
          trimmed(line.substr(equals + 1));
    }
  }
  return options;
}

std::vector<std::string> engine_flags(const Options& options) {
  std::vector<std::string> out;
  for (const auto& [key, value] : section(options, "libfuzzer")) {
    out.push_back(fmt::format("-{}={}", key, value));
  }
  return out;
}

std::string asan_options(const Options& options) {
  std::string out;
  for (const auto& [key, value] : section(options, "asan")) out += key + "=" + value + ":";
  return out;
}

bool is_expected(const std::string& name, const std::vector<std::string>& targets) {
  return std::any_of(targets.begin(), targets.end(), [&name](const std::string& target) {
    return name == target || name == target + ".dict" || name == target + ".options" ||
           name == target + "_seed_corpus.zip";
  });
}

std::vector<std::string> check_outputs(const fs::path& out,
                                       const std::vector<std::string>& targets) {
  std::vector<std::string> wrong;
  for (const auto& entry : fs::directory_iterator(out)) {
    const std::string name = entry.path().filename().string();
    const bool is_target = std::find(targets.begin(), targets.end(), name) != targets.end();
    if (!is_expected(name, targets)) {
      wrong.push_back(fmt::format("{} does not belong in the outputs", name));
    } else if (executable(entry.path()) != is_target) {
      wrong.push_back(fmt::format("{} is {}executable", name, is_target ? "not " : ""));
    }
  }
  std::sort(wrong.begin(), wrong.end());
  return wrong;
}

std::vector<std::string> unpack_seeds(const fs::path& zip, const fs::path& to) {
  const std::string name = zip.filename().string();
  if (!fs::exists(zip)) return {name + " is missing"};
  if (!read_file(zip, kMostZip).starts_with("PK\x03\x04")) return {name + " is not a zip file"};
  make_folder(to);
  const Ended ended =
      run({{"cmake", "-E", "tar", "xf", zip.string()}, {}, to}, to.string() + ".log");
  if (ended.code != 0) return {name + " does not open"};
  if (list_files(to, "").empty()) return {name + " holds no input"};
  return {};
}

}  // namespace prelaunch::fuzz
