#include "fuzz/watch.h"

namespace prelaunch::fuzz {
namespace {

constexpr std::string_view kNames[kWorks] = {"a launch", "an allocation", "a copy", "a device set",
                                             "another call"};

std::string say(const Witness& witness, std::string_view verb, std::size_t work) {
  return std::string(witness.name).append(verb).append(kNames[work]);
}

}  // namespace

std::string_view to_string(Work work) { return kNames[static_cast<std::size_t>(work)]; }

Watch::Watch() : door_(door::counts()) {
  std::size_t i = 0;
  for (const Witness& witness : witnesses()) before_[i++] = witness.seen();
}

std::optional<std::string> Watch::anything() const {
  std::size_t i = 0;
  for (const Witness& witness : witnesses()) {
    const Seen now = witness.seen(), &before = before_[i++];
    for (std::size_t work = 0; work < kWorks; ++work) {
      if (now[work] != before[work]) return say(witness, " saw ", work);
    }
  }
  return std::nullopt;
}

std::optional<std::string> Watch::missed(Work work) const {
  const auto which = static_cast<std::size_t>(work);
  std::size_t i = 0;
  for (const Witness& witness : witnesses()) {
    const std::uint64_t before = before_[i++][which];
    if ((witness.must_see & bit(work)) == 0 || witness.seen()[which] != before) continue;
    return say(witness, " missed ", which);
  }
  return std::nullopt;
}

}  // namespace prelaunch::fuzz
