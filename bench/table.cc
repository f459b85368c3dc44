#include "bench/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace prelaunch::bench {
namespace {

using ResultMap = std::map<std::string, Result>;

const Result* find(const ResultMap& results, const std::string& name) {
  const auto found = results.find(name);
  return found == results.end() || !found->second.error.empty() ? nullptr : &found->second;
}

std::string time_text(const Result* result) {
  return result == nullptr ? "-" : fmt::format("{:.2f}", median(result->nanoseconds));
}

std::string allocations_text(const Result* result) {
  return result == nullptr ? "-" : fmt::format("{:g}", result->allocations);
}

std::string ratio_text(const Result* accept, const Result* twin) {
  if (accept == nullptr || twin == nullptr) return "-";
  std::vector<double> ratios;
  const std::size_t count = std::min(accept->nanoseconds.size(), twin->nanoseconds.size());
  for (std::size_t i = 0; i < count; ++i) {
    ratios.push_back(accept->nanoseconds[i] / twin->nanoseconds[i]);
  }
  if (ratios.empty()) return "-";
  const auto [least, most] = std::ranges::minmax(ratios);
  return fmt::format("{:.2f} ({:.2f}..{:.2f})", median(ratios), least, most);
}

// The names that begin with "validation/" and go on with this part after the op: op and rest of
// each.
struct Name {
  std::string op, rest;
};
std::vector<Name> names_of(const ResultMap& results, std::string_view part) {
  std::vector<Name> names;
  for (const auto& [name, result] : results) {
    constexpr std::string_view kFamily = "validation/";
    if (!name.starts_with(kFamily)) continue;
    const std::size_t slash = name.find('/', kFamily.size());
    const std::string_view rest = std::string_view(name).substr(slash + 1);
    if (!rest.starts_with(part) || rest[part.size()] != '/') continue;
    names.push_back({name.substr(kFamily.size(), slash - kFamily.size()),
                     std::string(rest.substr(part.size() + 1))});
  }
  return names;
}

std::string case_lines(const ResultMap& results) {
  std::string out;
  for (const auto& [op, name] : names_of(results, "accept")) {
    const auto get = [&, &op = op, &name = name](std::string_view what) {
      return find(results, fmt::format("validation/{}/{}/{}", op, what, name));
    };
    const Result *accept = get("accept"), *twin = get("handwritten");
    out += fmt::format("{:<16} {:<26} {:>10} {:>14} {:>20} {:>12} {:>13}\n", op, name,
                       time_text(accept), time_text(twin), ratio_text(accept, twin),
                       allocations_text(accept), time_text(get("normalise")));
  }
  if (out.empty()) return out;
  return fmt::format("{:<16} {:<26} {:>10} {:>14} {:>20} {:>12} {:>13}\n", "op", "case",
                     "accept, ns", "handwritten", "ratio (min..max)", "allocations",
                     "normalise, ns") +
         out;
}

std::string rule_lines(const ResultMap& results) {
  std::string out;
  for (const auto& [op, name] : names_of(results, "reject")) {
    const Result* explain = find(results, fmt::format("validation/{}/explain/{}", op, name));
    const Result* reject = find(results, fmt::format("validation/{}/reject/{}", op, name));
    out += fmt::format("{:<16} {:<26} {:>10} {:>14} {:>20}\n", op, name, time_text(reject),
                       time_text(explain), allocations_text(explain));
  }
  if (out.empty()) return out;
  return fmt::format("\n{:<16} {:<26} {:>10} {:>14} {:>20}\n", "op", "rule", "reject, ns",
                     "explain, ns", "allocations") +
         out;
}

std::string kernel_lines(const ResultMap& results) {
  std::string out;
  for (const auto& [name, result] : results) {
    if (!name.starts_with("kernel/")) continue;
    if (!result.error.empty()) {
      out += fmt::format("{:<43} skipped: {}\n", name, result.error);
    } else {
      out += fmt::format("{:<43} {:>10.2f} {:>14.1f}\n", name, median(result.nanoseconds) / 1e3,
                         result.bytes_per_second / 1e9);
    }
  }
  if (out.empty()) return out;
  return fmt::format("\n{:<43} {:>10} {:>14}\n", "kernel", "time, us", "GB/s") + out;
}

}  // namespace

std::string results_table(const ResultMap& results) {
  return case_lines(results) + rule_lines(results) + kernel_lines(results);
}

}  // namespace prelaunch::bench
