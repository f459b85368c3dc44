// Reading the JSON form of a call: everything in it is untrusted.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>

#include "fuzz/codec.h"
#include "fuzz/json.h"

namespace prelaunch::fuzz {
namespace {

using Json = nlohmann::ordered_json;

// Part of a file as a message may show it: short, and in ASCII, whatever it holds.
std::string shown(const Json& json) {
  std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

// Of an error of the library, which quotes raw what it has read last.
std::string printable(std::string_view what) {
  constexpr std::size_t kLongest = 300;
  std::string text(what.substr(0, kLongest));
  std::replace_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return what.size() > kLongest ? text + "..." : text;
}

// A value and where it stands, for messages.
struct At {
  const Json& json;
  std::string path;

  [[noreturn]] void expected(std::string_view what) const {
    throw BadCall(
        fmt::format("{}: expected {}, got {}", path.empty() ? "call" : path, what, shown(json)));
  }
  At operator[](const char* key) const {
    return {json.at(key), path.empty() ? key : path + "." + key};
  }
  At operator[](std::size_t i) const { return {json[i], fmt::format("{}[{}]", path, i)}; }
  bool has(const char* key) const { return json.contains(key); }

  void only(std::initializer_list<std::string_view> keys) const {
    if (!json.is_object()) expected("an object");
    for (const auto& item : json.items()) {
      if (std::find(keys.begin(), keys.end(), item.key()) == keys.end()) {
        At{json, path}.unknown(item.key());
      }
    }
  }
  [[noreturn]] void unknown(const std::string& key) const {
    throw BadCall(
        fmt::format("{}: unknown member {}", path.empty() ? "call" : path, shown(Json(key))));
  }
  At member(const char* key) const {
    if (!has(key)) {
      throw BadCall(fmt::format("{}: member \"{}\" is missing", path.empty() ? "call" : path, key));
    }
    return (*this)[key];
  }

  template <class T>
  T integer() const {
    static constexpr auto kLow = std::numeric_limits<T>::min();
    static constexpr auto kHigh = std::numeric_limits<T>::max();
    const auto in_range = [this](auto value) {
      if (!std::in_range<T>(value)) expected(fmt::format("an integer in [{}, {}]", kLow, kHigh));
      return static_cast<T>(value);
    };
    if (json.is_number_unsigned()) return in_range(json.get<std::uint64_t>());
    if (json.is_number_integer()) return in_range(json.get<std::int64_t>());
    expected("an integer");
  }
  std::string text() const {
    if (!json.is_string()) expected("a string");
    return json.get<std::string>();
  }
  std::uint64_t hexadecimal() const {
    const std::string digits = text();
    std::uint64_t value = 0;
    const char* end = digits.data() + digits.size();
    if (digits.starts_with("0x") && digits.size() > 2) {
      const auto parsed = std::from_chars(digits.data() + 2, end, value, 16);
      if (parsed.ec == std::errc() && parsed.ptr == end) return value;
    }
    expected("a hexadecimal number as a string, like \"0x1000\"");
  }
};

Dtype parse_dtype(const At& at) {
  Dtype dtype;
  if (at.json.is_string()) {
    if (!dtype_from_short_name(at.text(), dtype)) at.expected("a dtype like \"bf16\"");
    return dtype;
  }
  at.only({"code", "bits", "lanes"});
  return {static_cast<DtypeCode>(at.member("code").integer<std::uint8_t>()),
          at.member("bits").integer<std::uint8_t>(), at.member("lanes").integer<std::uint16_t>()};
}

Device parse_device(const At& at) {
  Device device;
  if (at.json.is_string()) {
    if (!device_from_string(at.text(), device)) at.expected("a device like \"cuda:0\" or \"cpu\"");
    return device;
  }
  at.only({"type", "index"});
  return {static_cast<DeviceType>(at.member("type").integer<std::int32_t>()),
          at.member("index").integer<std::int32_t>()};
}

std::int32_t parse_dims(const At& at, std::array<std::int64_t, kMaxRank>& dims) {
  if (!at.json.is_array() || at.json.size() > dims.size()) {
    at.expected(fmt::format("an array of at most {} integers", dims.size()));
  }
  for (std::size_t d = 0; d < at.json.size(); ++d) dims[d] = at[d].integer<std::int64_t>();
  return static_cast<std::int32_t>(at.json.size());
}

void parse_shape(const At& at, TensorSpec& t) {
  const At shape = at.member("shape");
  t.null_shape = shape.json.is_null();
  if (!t.null_shape) t.rank = parse_dims(shape, t.shape);
  t.null_strides = !at.has("strides");
  if (!t.null_strides) {
    const std::int32_t strides = parse_dims(at["strides"], t.strides);
    if (!t.null_shape && strides != t.rank) at["strides"].expected("as many strides as dimensions");
  }
  if (at.has("rank")) t.rank = at["rank"].integer<std::int32_t>();
}

void parse_data(const At& at, TensorSpec& t) {
  if (at.has("offset")) t.offset = at["offset"].integer<std::uint64_t>();
  if (!at.has("data")) return;
  const At data = at["data"];
  t.source = data.text() == "null" ? DataSource::kNull : DataSource::kLiteral;
  if (t.source == DataSource::kLiteral) t.literal = data.hexadecimal();
}

double parse_number(const At& at) {
  if (at.json.is_number()) return at.json.get<double>();
  const std::string name = at.json.is_string() ? at.text() : std::string();
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "-inf") return -std::numeric_limits<double>::infinity();
  at.expected("a number, \"nan\", \"inf\" or \"-inf\"");
}

std::int64_t parse_index(const std::string& text, const At& at) {
  std::int64_t index = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, index);
  // Zeros in front would make the path of any length.
  const bool longer = text.size() > std::numeric_limits<std::int64_t>::digits10 + 1;
  if (parsed.ec != std::errc() || parsed.ptr != end || index < 0 || longer) {
    at.expected("elements by their number, like {\"3\": -1}");
  }
  return index;
}

void parse_fill_at(const At& at, Fill& fill) {
  if (!at.json.is_object() || at.json.size() > Fill::kMaxAt) {
    at.expected(fmt::format("an object of at most {} elements", Fill::kMaxAt));
  }
  for (const auto& item : at.json.items()) {
    fill.at[fill.count++] = {parse_index(item.key(), at), parse_number(at[item.key().c_str()])};
  }
}

Fill parse_fill(const At& at) {
  Fill fill;
  if (at.json.is_string()) {
    if (at.text() != "bytes") at.expected("\"bytes\" or an object");
    fill.kind = Fill::Kind::kBytes;
    return fill;
  }
  at.only({"all", "at"});
  if (at.has("all")) {
    const At all = at["all"];
    const bool bytes = all.json.is_string() && all.text() == "bytes";
    fill.kind = bytes ? Fill::Kind::kBytes : Fill::Kind::kNumber;
    if (!bytes) fill.number = parse_number(all);
  }
  if (at.has("at")) parse_fill_at(at["at"], fill);
  return fill;
}

// Buffers by name: a field's name is its own buffer, "buffer9" is number 9, and any other name
// takes a number from the end.
class Buffers {
 public:
  explicit Buffers(const OpInfo& op) : free_(kMaxBuffers), own_(op.fields.size()) {
    for (std::size_t i = 0; i < kMaxBuffers; ++i) names_[i] = buffer_name(op, i);
  }
  std::uint8_t number(const At& at) {
    const std::string name = at.text();
    auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) {
      do {
        if (free_ == own_) at.expected("a name of fewer buffers");
        --free_;
      } while (used_[free_]);
      found = names_.begin() + static_cast<std::ptrdiff_t>(free_);
      *found = name;
    }
    const auto number = static_cast<std::size_t>(found - names_.begin());
    used_[number] = true;
    return static_cast<std::uint8_t>(number);
  }

 private:
  std::array<std::string, kMaxBuffers> names_;
  // A number that was asked for by its own name is no longer free.
  std::array<bool, kMaxBuffers> used_{};
  std::size_t free_, own_;
};

TensorSpec parse_tensor(const At& at, std::size_t field, Buffers& buffers) {
  at.only({"dtype", "device", "shape", "strides", "offset", "buffer", "data", "rank", "fill"});
  TensorSpec t;
  t.dtype = parse_dtype(at.member("dtype"));
  t.device = parse_device(at.member("device"));
  parse_shape(at, t);
  parse_data(at, t);
  if (at.has("fill")) t.fill = parse_fill(at["fill"]);
  t.buffer = at.has("buffer") ? buffers.number(at["buffer"]) : static_cast<std::uint8_t>(field);
  return t;
}

float parse_real(const At& at) {
  if (at.json.is_string()) {
    const std::uint64_t bits = at.hexadecimal();
    if (!std::in_range<std::uint32_t>(bits)) at.expected("the 32 bits of a float");
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  }
  if (!at.json.is_number()) at.expected("a number");
  if (!std::isfinite(at.json.get<float>())) at.expected("a number that fits a float");
  return at.json.get<float>();
}

Value parse_value(const At& at, const FieldInfo& field, std::size_t index, Buffers& buffers) {
  Value value;
  value.absent = at.json.is_null();
  if (value.absent) {
    const bool may_be = field.type == FieldType::kTensor || field.type == FieldType::kOptionalReal;
    if (!may_be) at.expected("a value");
    return value;
  }
  switch (field.type) {
    case FieldType::kTensor:
      value.tensor = parse_tensor(at, index, buffers);
      break;
    case FieldType::kInteger:
      value.integer = at.integer<std::int64_t>();
      break;
    case FieldType::kBoolean:
      if (!at.json.is_boolean()) at.expected("true or false");
      value.boolean = at.json.get<bool>();
      break;
    case FieldType::kReal:
    case FieldType::kOptionalReal:
      value.real = parse_real(at);
      break;
  }
  return value;
}

std::size_t parse_field(const OpInfo& op, const At& at) {
  const auto found = std::find_if(op.fields.begin(), op.fields.end(),
                                  [&](const FieldInfo& field) { return field.name == at.text(); });
  if (found == op.fields.end()) at.expected(fmt::format("an argument of {}", op.name));
  return static_cast<std::size_t>(found - op.fields.begin());
}

Expectation parse_expect(const OpInfo& op, const At& at) {
  at.only({"verdict", "rule", "argument"});
  const std::string verdict = at.member("verdict").text();
  if (verdict == "accept") {
    if (at.has("rule")) at["rule"].expected("no rule beside \"accept\"");
    if (at.has("argument")) at["argument"].expected("no argument beside \"accept\"");
    return {Verdict::kAccept, kNoRule};
  }
  if (verdict != "reject") at["verdict"].expected("\"accept\" or \"reject\"");
  if (!at.has("rule")) {
    if (at.has("argument")) at["argument"].expected("no argument without a rule");
    return {Verdict::kReject, kNoRule};
  }
  const std::string id = at["rule"].text();
  const std::size_t rule = rule_index(op, id);
  if (rule == kNoRule) at["rule"].expected(fmt::format("a rule of {}", op.name));
  const bool numbered = id.find('#') != id.npos;
  const bool any_of_id = !numbered && numbered_id(op, rule) != full_id(op, rule);
  const std::size_t argument = at.has("argument") ? parse_field(op, at["argument"]) : kNoField;
  return {Verdict::kReject, rule, any_of_id, argument};
}

void parse_args(const OpInfo& op, const At& at, Call& call) {
  if (!at.json.is_object()) at.expected("an object");
  Buffers buffers(op);
  for (const auto& item : at.json.items()) {
    const bool known = std::any_of(op.fields.begin(), op.fields.end(),
                                   [&](const FieldInfo& f) { return f.name == item.key(); });
    if (!known) at.unknown(item.key());
  }
  for (std::size_t i = 0; i < op.fields.size(); ++i) {
    const std::string name(op.fields[i].name);
    call.values[i] = parse_value(at.member(name.c_str()), op.fields[i], i, buffers);
  }
}

ParsedCall parse_root(const At& at) {
  at.only({"op", "args", "current_device", "fill", "expect", "why"});
  ParsedCall out;
  const std::string name = at.member("op").text();
  out.op = find_op(name);
  if (out.op == nullptr) at["op"].expected("the name of an op");
  parse_args(*out.op, at.member("args"), out.named.call);
  Call& call = out.named.call;
  if (at.has("current_device")) call.current_device = at["current_device"].integer<std::int32_t>();
  if (at.has("fill")) call.fill = at["fill"].integer<std::uint32_t>();
  if (at.has("expect")) out.named.expect = parse_expect(*out.op, at["expect"]);
  if (at.has("why")) out.named.why = at["why"].text();
  canonical(*out.op, call);
  return out;
}

// A call has five levels. Deeper texts are refused while they are read: printing a value for a
// message recurses.
bool is_shallow(int depth, Json::parse_event_t, Json&) {
  if (depth > 8) throw BadCall("call: expected at most 8 levels of nesting");
  return true;
}

}  // namespace

ParsedCall parse_call(std::string_view text) {
  if (text.size() > kMaxCallBytes) {
    throw BadCall(
        fmt::format("call: expected at most {} bytes, got {}", kMaxCallBytes, text.size()));
  }
  try {
    const Json json = Json::parse(text.data(), text.data() + text.size(), is_shallow);
    return parse_root({json, ""});
  } catch (const Json::exception& error) {
    std::string_view what = error.what();
    throw BadCall(printable(what.substr(std::min(what.find("] ") + 2, what.size()))));
  }
}

}  // namespace prelaunch::fuzz
