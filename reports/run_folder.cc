#include "reports/run_folder.h"

#include <unistd.h>

#include <algorithm>

#include "reports/process.h"

namespace prelaunch::reports {

std::string sanitise_machine(std::string_view hostname) {
  std::string name(hostname);
  std::ranges::replace_if(
      name,
      [](char c) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return !letter && !(c >= '0' && c <= '9') && c != '_' && c != '-';
      },
      '-');
  return name.empty() ? "unknown" : name;
}

std::string short_commit(std::string_view printed) {
  constexpr std::size_t kDigits = 12;
  const std::string_view digits = printed.substr(0, kDigits);
  const bool is_id = digits.size() == kDigits &&
                     digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return is_id ? std::string(digits) : "nocommit";
}

std::string date_text(std::time_t now) {
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[sizeof "9999-12-31-235959"];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%d-%H%M%S", &utc);
  return {text, length};
}

std::filesystem::path default_run_folder(const std::filesystem::path& root, std::time_t now) {
  char hostname[256] = {};
  if (::gethostname(hostname, sizeof hostname - 1) != 0) hostname[0] = '\0';
  const auto commit = capture({"git", "-C", root.string(), "rev-parse", "--verify", "HEAD"});
  return root / "reports" / "runs" /
         (date_text(now) + "-" + sanitise_machine(hostname) + "-" +
          short_commit(commit.value_or("")));
}

}  // namespace prelaunch::reports
