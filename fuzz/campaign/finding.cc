#include "fuzz/campaign/finding.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "fuzz/codec.h"
#include "fuzz/files.h"
#include "fuzz/json.h"
#include "kernels/common/escape.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

// The oracle's details name elements and sizes, which differ between two inputs that show the same
// bug; a sanitizer's names the line.
std::string bucket_text(const LogFinding& log) {
  std::string text = log.detail;
  if (log.reason.find("sanitizer") != std::string::npos) return text;
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

}  // namespace

// FNV-1a.
std::uint32_t text_hash(std::string_view text) {
  std::uint32_t value = 2166136261u;
  for (const char c : text) value = (value ^ static_cast<std::uint8_t>(c)) * 16777619u;
  return value;
}

std::string finding_id(const OpInfo& op, Profile profile, const LogFinding& log) {
  const std::string bucket = fmt::format("{}/{}/{}", log.reason, log.rule, bucket_text(log));
  return fmt::format("{}-{}-{}-{:08x}", op.name, to_string(profile), log.reason, text_hash(bucket));
}

std::vector<fs::path> artifacts_of(const fs::path& prefix) {
  std::vector<fs::path> out;
  const std::string start = prefix.filename().string() + "-";
  for (const fs::path& path : list_files(prefix.parent_path(), "")) {
    const std::string name = path.filename().string();
    // libFuzzer keeps slow inputs too, and goes on.
    const bool slow = name.starts_with(start + "slow-unit-");
    if (name.starts_with(start) && !slow) out.push_back(path);
  }
  return out;
}

Finding keep_finding(const OpInfo& op, Profile profile, const fs::path& input,
                     const LogFinding& log) {
  const std::string bytes = read_file(input, kMaxCallBytes);
  NamedCall named;
  named.expect =
      decode(op, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, named.call);
  named.why = fmt::format("{}: {}", log.reason, log.detail);
  canonical(op, named.call);
  const std::string id = finding_id(op, profile, log);
  const fs::path path = input.parent_path() / (id + ".json");
  std::error_code error;
  if (!fs::exists(path, error)) write_file(path, format_call(op, named));
  fs::remove(input, error);
  return {.id = id,
          .reason = log.reason,
          .rule = log.rule,
          .detail = log.detail,
          .call = (input.parent_path().filename() / path.filename()).string(),
          .replay = "./prelaunch replay " + shell_word(fs::absolute(path).string())};
}

Told told_by(std::string_view why) {
  const std::string text = visible(why);
  const std::size_t colon = text.find(": ");
  const auto is_word = [](std::string_view word) {
    return !word.empty() && word.size() <= 40 &&
           word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == word.npos;
  };
  if (colon == text.npos || !is_word(std::string_view(text).substr(0, colon))) {
    return {"finding", text};
  }
  return {text.substr(0, colon), text.substr(colon + 2)};
}

bool is_finding_id(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  return !text.empty() && text.size() <= 200 && std::all_of(text.begin(), text.end(), plain);
}

void add_finding(Finding finding, std::vector<Finding>& found) {
  const bool known = std::any_of(found.begin(), found.end(),
                                 [&](const Finding& other) { return other.id == finding.id; });
  if (!known) found.push_back(std::move(finding));
}

std::string shell_word(const std::string& text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+,:@").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string symbolizer() {
  for (const char* path : {"/usr/bin/llvm-symbolizer-19", "/usr/lib/llvm-19/bin/llvm-symbolizer"}) {
    if (access(path, X_OK) == 0) return path;
  }
  return {};
}

}  // namespace prelaunch::fuzz
