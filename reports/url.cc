#include "reports/url.h"

#include <algorithm>
#include <utility>

namespace prelaunch::reports {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// No '@': what stands before it looks like the host and is not.
bool is_of_address(char c) {
  return is_plain(c) || std::string_view("./~:?#&=+%,;").find(c) != std::string_view::npos;
}

}  // namespace

std::optional<Url> Url::https(std::string_view text) {
  constexpr std::string_view kScheme = "https://";
  if (!text.starts_with(kScheme) || text.size() == kScheme.size()) return std::nullopt;
  if (!std::ranges::all_of(text, is_of_address)) return std::nullopt;
  return Url(std::string(text));
}

std::optional<Url> Url::triaged(std::string_view id, Triaged what) {
  if (id.empty() || !std::ranges::all_of(id, is_plain)) return std::nullopt;
  return Url("triage/" + std::string(id) + (what == Triaged::kCall ? ".json" : ".cc"));
}

Url Url::coverage() { return Url("coverage/index.html"); }

}  // namespace prelaunch::reports
