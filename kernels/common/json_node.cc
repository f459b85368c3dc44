#include "kernels/common/json_node.h"

#include <fmt/format.h>

#include <cmath>

#include "kernels/common/escape.h"

namespace prelaunch {
namespace {

using Json = nlohmann::json;

// nlohmann's texts begin with "[json.exception.parse_error.101] ", which tells a reader nothing.
std::string without_tag(std::string_view what) {
  const std::size_t end = what.find("] ");
  if (what.starts_with('[') && end != std::string_view::npos) what.remove_prefix(end + 2);
  return visible(what);
}

std::string shorten(std::string text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) return text;
  text.resize(kLongest);
  return text + "...";
}

std::string describe(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  return visible(shorten(value.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

// Length of a NaN or Infinity, signed or not, at the start of `text`; 0 when there is none.
std::size_t nonfinite_length(std::string_view text) {
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  for (const std::string_view word : {"NaN", "Infinity"}) {
    if (text.substr(sign).starts_with(word)) return sign + word.size();
  }
  return 0;
}

}  // namespace

nlohmann::json parse_json(std::string_view text) {
  std::size_t values = 0;
  const auto bound = [&](int depth, Json::parse_event_t, Json&) {
    if (static_cast<std::size_t>(depth) > kMaxDepth) {
      throw JsonError(fmt::format("nested more than {} levels deep", kMaxDepth));
    }
    if (++values > kMaxValues) throw JsonError(fmt::format("more than {} values", kMaxValues));
    return true;
  };
  try {
    return Json::parse(valid_utf8(text), bound);
  } catch (const Json::exception& error) {
    throw JsonError(without_tag(error.what()));
  }
}

std::string null_for_nonfinite(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t length = in_string ? 0 : nonfinite_length(text.substr(i, 9));
    if (length > 0) {
      out += "null";
      i += length - 1;
      continue;
    }
    out += text[i];
    if (in_string && text[i] == '\\' && i + 1 < text.size())
      out += text[++i];
    else if (text[i] == '"')
      in_string = !in_string;
  }
  return out;
}

void Node::unexpected(std::string_view what) const {
  throw JsonError(visible(fmt::format(
      "{}: expected {}, got {}", path_.empty() ? "top level" : path_, what, describe(*value_))));
}

Node Node::member(const std::string& key, const nlohmann::json& value) const {
  return Node(value, path_.empty() ? key : path_ + "." + key);
}

Node Node::at(const char* key) const {
  if (!value_->is_object()) unexpected("an object");
  const auto found = value_->find(key);
  if (found == value_->end()) {
    throw JsonError(visible(fmt::format("{}{}{}: missing", path_, path_.empty() ? "" : ".", key)));
  }
  return member(key, *found);
}

std::optional<Node> Node::find(const char* key) const {
  if (!value_->is_object()) unexpected("an object");
  const auto found = value_->find(key);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return member(key, *found);
}

std::string Node::text() const {
  if (!value_->is_string()) unexpected("a string");
  return value_->get<std::string>();
}

double Node::number() const {
  if (!value_->is_number()) unexpected("a number");
  return value_->get<double>();
}

double Node::amount() const {
  const double value = number();
  if (value < 0) unexpected("a number of 0 or more");
  return value;
}

std::uint64_t Node::count() const {
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53: above it a double skips numbers
  if (value_->is_number_unsigned()) return value_->get<std::uint64_t>();
  const double value = amount();
  if (value > kLargestExact || value != std::floor(value)) unexpected("a whole number");
  return static_cast<std::uint64_t>(value);
}

bool Node::boolean() const {
  if (!value_->is_boolean()) unexpected("true or false");
  return value_->get<bool>();
}

std::vector<Node> Node::items() const {
  if (!value_->is_array()) unexpected("an array");
  std::vector<Node> items;
  for (const Json& item : *value_)
    items.emplace_back(item, fmt::format("{}[{}]", path_, items.size()));
  return items;
}

std::vector<std::pair<std::string, Node>> Node::members() const {
  if (!value_->is_object()) unexpected("an object");
  std::vector<std::pair<std::string, Node>> members;
  for (const auto& [key, value] : value_->items()) members.emplace_back(key, member(key, value));
  return members;
}

std::vector<std::string> Node::texts() const {
  std::vector<std::string> texts;
  for (const Node& item : items()) texts.push_back(item.text());
  return texts;
}

std::string Node::dump() const {
  return value_->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string Node::scalar_text() const {
  if (value_->is_array()) {
    std::string joined;
    for (const Node& item : items()) {
      if (!item.is_scalar()) item.unexpected("a string, number or boolean");
      joined += (joined.empty() ? "" : ", ") + item.scalar_text();
    }
    return joined;
  }
  if (value_->is_string()) return value_->get<std::string>();
  if (value_->is_null()) return {};
  if (!is_scalar()) unexpected("a string, number or boolean");
  return value_->dump();
}

}  // namespace prelaunch
