#include "kernels/common/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "kernels/common/overlap.h"

namespace prelaunch {
namespace {

bool readable(const TensorView& view) {
  return view.flaw != Flaw::kPresent && view.flaw != Flaw::kRank;
}

std::string tuple_text(const std::array<std::int64_t, kMaxRank>& values, std::int32_t rank) {
  const std::span<const std::int64_t> entries(values.data(), static_cast<std::size_t>(rank));
  return fmt::format("({}{})", fmt::join(entries, ", "), entries.size() == 1 ? "," : "");
}

std::string tuple_text(const TensorView& view, const std::array<std::int64_t, kMaxRank>& values) {
  return readable(view) ? tuple_text(values, view.rank) : "<unreadable>";
}

// "shape[2]" -> one dimension, when the brackets hold an index below the rank.
std::string dimension_text(const TensorView& view, std::string_view property) {
  std::int32_t index = 0;
  const char* end = property.data() + property.size();
  const auto parsed = std::from_chars(property.data() + property.find('[') + 1, end, index);
  const bool ok = parsed.ec == std::errc() && parsed.ptr != end && *parsed.ptr == ']';
  if (!ok || !readable(view) || index < 0 || index >= view.rank) return "<none>";
  return fmt::format("{}", view.shape[static_cast<std::size_t>(index)]);
}

std::string property_text(const Argument& argument, std::string_view property) {
  if (property == "argument") return std::string(argument.name);
  if (argument.tensor == nullptr) return argument.scalar;
  const TensorView& view = *argument.tensor;
  if (property == "presence") return view.given ? "a null shape" : "None";
  if (!view.given) return "None";
  if (property == "shape") return tuple_text(view, view.shape);
  if (property == "strides") return tuple_text(view, view.strides);
  if (property == "dtype") return to_string(view.dtype);
  if (property == "device") return to_string(view.device);
  if (property == "rank") return fmt::format("{}", view.rank);
  if (property == "address") return fmt::format("{:#x}", view.address);
  if (property.starts_with("shape[")) return dimension_text(view, property);
  return fmt::format("{{{}}}", property);
}

const Argument* find(std::span<const Argument> arguments, std::string_view name) {
  for (const Argument& argument : arguments) {
    if (argument.name == name) return &argument;
  }
  return nullptr;
}

// What a text's placeholders may name.
struct Names {
  std::span<const Argument> arguments;
  std::span<const NamedText> derived;
  const Argument& blamed;
};

std::string placeholder_text(std::string_view name, const Names& names) {
  const auto& [arguments, derived, blamed] = names;
  for (const NamedText& each : derived) {
    if (each.name == name) return each.text;
  }
  const auto dot = name.find('.');
  const Argument* named = find(arguments, name.substr(0, dot));
  if (named == nullptr) return property_text(blamed, name);
  if (dot == name.npos) return named->tensor == nullptr ? named->scalar : std::string(name);
  return property_text(*named, name.substr(dot + 1));
}

std::string render(std::string_view text, const Names& names) {
  std::string out;
  while (!text.empty()) {
    const auto open = text.find('{');
    const auto close = open == text.npos ? text.npos : text.find('}', open);
    out += text.substr(0, open);
    if (close == text.npos) break;
    out += placeholder_text(text.substr(open + 1, close - open - 1), names);
    text.remove_prefix(close + 1);
  }
  return out;
}

std::string argument_text(const Argument& argument) {
  if (argument.tensor == nullptr) return fmt::format("{}={}", argument.name, argument.scalar);
  const TensorView& view = *argument.tensor;
  if (!view.given) return fmt::format("{}=None", argument.name);
  return fmt::format("{}=(shape={}, strides={}, dtype={}, device={})", argument.name,
                     tuple_text(view, view.shape), tuple_text(view, view.strides),
                     to_string(view.dtype), to_string(view.device));
}

// Whether an overlap rule about `named` fired because the search gave up: then neither it nor a
// pair with it was shown to overlap. A rule that names no tensor is about every pair.
bool only_may_overlap(std::span<const Argument> arguments, const Argument& named, bool self) {
  bool undecided = false;
  const auto note = [&undecided](Overlap found) {
    undecided |= found == Overlap::kUndecided;
    return found == Overlap::kShared;
  };
  for (const Argument& a : arguments) {
    if (a.tensor == nullptr || !a.written) continue;
    const bool about_a = named.tensor == nullptr || named.tensor == a.tensor;
    if (self) {
      if (about_a && note(self_overlap(*a.tensor))) return false;
      continue;
    }
    for (const Argument& b : arguments) {
      if (b.tensor == nullptr || &a == &b || !(about_a || named.tensor == b.tensor)) continue;
      if (note(overlap(*a.tensor, *b.tensor))) return false;
    }
  }
  return undecided;
}

}  // namespace

std::string scalar_text(std::int64_t value) { return fmt::format("{}", value); }
std::string scalar_text(float value) { return fmt::format("{}", value); }
std::string scalar_text(bool value) { return value ? "True" : "False"; }
std::string scalar_text(std::optional<float> value) {
  return value.has_value() ? scalar_text(*value) : "None";
}

std::string quantity_text(const Quantity& quantity) {
  if (quantity.too_large) return "a number that 64 bits cannot hold";
  return quantity.rank < 0 ? fmt::format("{}", quantity.dims[0])
                           : tuple_text(quantity.dims, quantity.rank);
}

Explanation explain(std::string_view op, const RuleText& rule, std::span<const Argument> arguments,
                    std::span<const NamedText> derived, const void* blamed) {
  const Argument group{rule.argument, nullptr, {}, false};
  const Argument* found = find(arguments, rule.argument);
  for (const Argument& argument : arguments) {
    if (blamed != nullptr && (argument.tensor == blamed || argument.place == blamed)) {
      found = &argument;
    }
  }
  const Argument& named = found != nullptr ? *found : group;
  Explanation out;
  out.rule = fmt::format("{}.{}.{}", op, rule.argument, rule.property);
  out.message = render(rule.text, {arguments, derived, named});
  out.argument = named.name;
  if (rule.property.ends_with("overlap") &&
      only_may_overlap(arguments, named, rule.property == "no_self_overlap")) {
    out.message += fmt::format(" (may overlap: not decided in {} steps)", kOverlapSteps);
  }
  for (const Argument& argument : arguments) {
    if (!out.arguments.empty()) out.arguments += ", ";
    out.arguments += argument_text(argument);
  }
  return out;
}

}  // namespace prelaunch
