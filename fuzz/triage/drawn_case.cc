#include "fuzz/triage/drawn_case.h"

#include <algorithm>
#include <map>

#include "fuzz/codec.h"
#include "fuzz/triage/members.h"
#include "prelaunch_ops.h"

namespace prelaunch::fuzz {
namespace {

// Of a default call, over its tensors: real shapes are too large to be run at every step.
constexpr std::int64_t kMostBytes = 1 << 15;

// The cases of the op of this name.
template <class Visit>
void visit_cases(std::string_view op, Visit visit) {
  Ops::for_each([&]<class Entry>() {
    if (Entry::Op::kName == op) visit.template operator()<typename Entry::Cases>();
  });
}

bool is_small(const OpInfo& op, const Call& call) {
  std::int64_t left = kMostBytes;
  for (std::size_t i = 0; i < op.fields.size(); ++i) {
    const bool given = op.fields[i].type == FieldType::kTensor && !call.values[i].absent;
    if (given) left -= bytes_needed(call.values[i].tensor).value_or(kMostBytes + 1);
  }
  return left >= 0;
}

template <class Cases>
auto default_case(const OpInfo& op) {
  const auto small = [&op](const auto& of) { return is_small(op, Cases::make_call(of)); };
  const auto first = std::find_if(Cases::kCases.begin(), Cases::kCases.end(), small);
  return first == Cases::kCases.end() ? Cases::kCases.front() : *first;
}

template <class Case>
void take_members(Case& to, Case from, std::uint32_t chosen) {
  auto members = members_of(to);
  auto others = members_of(from);
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    ((chosen >> kIndex & 1 ? void(std::get<kIndex + 1>(members) = std::get<kIndex + 1>(others))
                           : void()),
     ...);
  }(std::make_index_sequence<member_count<Case>() - 1>{});
}

}  // namespace

unsigned case_members(const OpInfo& op) {
  unsigned out = 0;
  visit_cases(op.name, [&]<class Cases>() {
    using Case = std::remove_cvref_t<decltype(Cases::kCases.front())>;
    out = static_cast<unsigned>(member_count<Case>() - 1);
  });
  return out;
}

Call call_of(const OpInfo& op, const DrawnCase& drawn) {
  Call out;
  visit_cases(op.name, [&]<class Cases>() {
    Choices choose(drawn.seed);
    auto of = Cases::draw_case(choose);
    take_members(of, default_case<Cases>(op), drawn.defaults);
    out = Cases::make_call(of);
  });
  canonical(op, out);
  return out;
}

const Call& default_call(const OpInfo& op) {
  static std::map<std::string_view, Call> known;
  const auto [entry, added] = known.try_emplace(op.name);
  if (added) entry->second = call_of(op, {0, ~std::uint32_t{0}});
  return entry->second;
}

}  // namespace prelaunch::fuzz
