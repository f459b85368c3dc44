#include "fuzz/campaign/afl_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/uuid/detail/sha1.hpp>
#include <charconv>

namespace prelaunch::fuzz {
namespace {

constexpr std::string_view kSeedMark = ",orig:";
constexpr std::string_view kDryRun = "Attempting dry run with '";

// Takes the first line off `text`.
std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

// Of a line "key   : number"; 0 where there is none.
std::uint64_t number_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (!line.starts_with(key)) continue;
    const std::string_view rest = line.substr(key.size());
    const auto digits = std::min(rest.find_first_not_of(" :"), rest.size());
    if (digits == 0) continue;  // a longer key
    std::uint64_t value = 0;
    std::from_chars(rest.data() + digits, rest.data() + rest.size(), value);
    return value;
  }
  return 0;
}

bool is_content_name(std::string_view text) {
  return text.size() == 40 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace

LogProgress read_afl_stats(std::string_view text) {
  return {.features = number_of(text, "edges_found"), .corpus = number_of(text, "corpus_count")};
}

std::vector<std::string> ending_seeds(std::string_view log) {
  std::vector<std::string> out;
  std::string_view tried;
  while (!log.empty()) {
    const std::string_view line = next_line(log);
    if (const auto at = line.find(kDryRun); at != line.npos) {
      const auto mark = line.find(kSeedMark, at);
      tried = mark == line.npos ? "" : line.substr(mark + kSeedMark.size());
      tried = tried.substr(0, tried.find('\''));
    } else if (line.find(" results in a ") != line.npos && is_content_name(tried)) {
      out.emplace_back(tried);
      tried = {};
    }
  }
  return out;
}

std::size_t last_dry_run(std::string_view log) {
  const auto at = log.rfind(kDryRun);
  return at == log.npos ? 0 : at;
}

bool is_seed_of_queue(std::string_view name) { return name.find(kSeedMark) != name.npos; }

std::string content_name(std::string_view content) {
  boost::uuids::detail::sha1 sha1;
  sha1.process_bytes(content.data(), content.size());
  unsigned int digest[5];
  sha1.get_digest(digest);
  std::string out;
  for (const unsigned int word : digest) out += fmt::format("{:08x}", word);
  return out;
}

}  // namespace prelaunch::fuzz
