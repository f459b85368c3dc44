#include "fuzz/proof/planted.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace prelaunch::planted {
namespace {

constexpr auto kKinds = std::to_array<std::pair<std::string_view, Kind>>({
    {"common:", Kind::kCommon},
    {"own:", Kind::kOwn},
    {"deletion:", Kind::kDeletion},
    {"swap:", Kind::kSwap},
    {"fault:", Kind::kFault},
});

Planted from_environment() {
  Planted planted;
  const char* text = std::getenv("PRELAUNCH_PLANTED");
  if (text != nullptr && !parse(text, planted)) {
    std::fprintf(stderr, "prelaunch: PRELAUNCH_PLANTED: expected something like own:17, got %s\n",
                 text);
    std::exit(2);
  }
  return planted;
}

}  // namespace

Planted active = from_environment();
bool* reached_common = nullptr;

std::string to_string(const Planted& planted) {
  for (const auto& [prefix, kind] : kKinds) {
    if (kind == planted.kind) return std::string(prefix) + std::to_string(planted.index);
  }
  return "none";
}

bool parse(std::string_view text, Planted& planted) {
  planted = {};
  if (text == "none") return true;
  for (const auto& [prefix, kind] : kKinds) {
    if (!text.starts_with(prefix)) continue;
    planted.kind = kind;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + prefix.size(), end, planted.index);
    return error == std::errc{} && stop == end;
  }
  return false;
}

}  // namespace prelaunch::planted
