#include "fuzz/proof/sites.h"

#include <fmt/format.h>

#include <algorithm>

namespace prelaunch::fuzz {

void Sites::add(Range range, Form form, std::size_t mutant, std::string changed) {
  auto site = std::find_if(sites_.begin(), sites_.end(), [&](const Site& other) {
    return other.range == range && other.form == form;
  });
  if (site == sites_.end()) site = sites_.insert(sites_.end(), {range, form, {}});
  site->alternatives.emplace_back(mutant, std::move(changed));
}

std::string Sites::rendered() {
  // One that holds others stands before them.
  std::sort(sites_.begin(), sites_.end(), [](const Site& a, const Site& b) {
    return a.range.begin != b.range.begin ? a.range.begin < b.range.begin
                                          : a.range.end > b.range.end;
  });
  std::size_t next = 0;
  return render({0, static_cast<unsigned>(text_.size())}, next);
}

std::string Sites::render(Range range, std::size_t& next) const {
  std::string out;
  unsigned at = range.begin;
  while (next < sites_.size() && sites_[next].range.begin < range.end) {
    const Site& site = sites_[next++];
    out += text({at, site.range.begin});
    out += with_alternatives(site, render(site.range, next));
    at = site.range.end;
  }
  return out + text({at, range.end});
}

std::string Sites::with_alternatives(const Site& site, const std::string& original) const {
  const bool is_expression = site.form == Form::kExpression;
  std::string out = is_expression ? "(" : "";
  for (const auto& [mutant, changed] : site.alternatives) {
    out += is_expression ? fmt::format("{}({}) ? ({}) : ", planted_, mutant, changed)
                         : fmt::format("if ({}({})) {{ {} }} else ", planted_, mutant, changed);
  }
  return out + (is_expression ? "(" + original + "))" : "{ " + original + " }");
}

}  // namespace prelaunch::fuzz
