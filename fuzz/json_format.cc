// Writing the JSON form of a call: one line an argument.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fuzz/json.h"

namespace prelaunch::fuzz {
namespace {

using Json = nlohmann::ordered_json;

Json dtype_json(Dtype dtype) {
  const std::string_view name = short_name(dtype);
  if (!name.empty()) return Json(std::string(name));
  return {{"code", static_cast<int>(dtype.code)}, {"bits", dtype.bits}, {"lanes", dtype.lanes}};
}

Json device_json(Device device) {
  Device parsed;
  const std::string name = to_string(device);
  if (device_from_string(name, parsed) && parsed == device) return Json(name);
  return {{"type", static_cast<std::int32_t>(device.type)}, {"index", device.index}};
}

Json dims_json(const TensorSpec& t, const std::array<std::int64_t, kMaxRank>& dims) {
  Json out = Json::array();
  const bool usable = t.rank >= 0 && t.rank <= kMaxRank;
  for (std::size_t d = 0; usable && d < static_cast<std::size_t>(t.rank); ++d) {
    out.push_back(dims[d]);
  }
  return out;
}

Json number_json(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  // Readers want -1, not -1.0; -0 is none of the integers.
  const bool whole = std::abs(number) < 0x1p53 && std::trunc(number) == number &&
                     !(number == 0 && std::signbit(number));
  if (whole) return static_cast<std::int64_t>(number);
  return number;
}

Json fill_json(const Fill& fill) {
  const bool bytes = fill.kind == Fill::Kind::kBytes;
  if (bytes && fill.count == 0) return "bytes";
  Json out = Json::object();
  if (bytes) out["all"] = "bytes";
  if (fill.kind == Fill::Kind::kNumber) out["all"] = number_json(fill.number);
  for (std::size_t i = 0; i < fill.count; ++i) {
    out["at"][fmt::format("{}", fill.at[i].element)] = number_json(fill.at[i].number);
  }
  return out;
}

Json tensor_json(const OpInfo& op, const TensorSpec& t, std::size_t field) {
  Json out = {{"dtype", dtype_json(t.dtype)}, {"device", device_json(t.device)}};
  out["shape"] = t.null_shape ? Json(nullptr) : dims_json(t, t.shape);
  if (!t.null_strides) out["strides"] = dims_json(t, t.strides);
  if (t.null_shape || t.rank < 0 || t.rank > kMaxRank) out["rank"] = t.rank;
  if (t.offset != 0) out["offset"] = t.offset;
  if (t.source == DataSource::kNull) out["data"] = "null";
  if (t.source == DataSource::kLiteral) out["data"] = fmt::format("{:#x}", t.literal);
  if (t.source == DataSource::kBuffer && t.buffer != field) {
    out["buffer"] = buffer_name(op, t.buffer);
  }
  if (!t.fill.is_default()) out["fill"] = fill_json(t.fill);
  return out;
}

Json value_json(const OpInfo& op, const Value& value, std::size_t field) {
  const FieldType type = op.fields[field].type;
  const bool may_be_absent = type == FieldType::kTensor || type == FieldType::kOptionalReal;
  if (value.absent && may_be_absent) return nullptr;
  switch (type) {
    case FieldType::kTensor:
      return tensor_json(op, value.tensor, field);
    case FieldType::kInteger:
      return value.integer;
    case FieldType::kBoolean:
      return value.boolean;
    case FieldType::kReal:
    case FieldType::kOptionalReal:
      break;
  }
  if (std::isfinite(value.real)) return value.real;
  return fmt::format("{:#x}", std::bit_cast<std::uint32_t>(value.real));
}

// One line, with a space after each comma and colon.
std::string line(const Json& json) {
  std::string out;
  bool quoted = false, escaped = false;
  for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    out += c;
    if (c == '"' && !escaped) quoted = !quoted;
    escaped = c == '\\' && !escaped;
    if (!quoted && (c == ',' || c == ':')) out += ' ';
  }
  return out;
}

Json expect_json(const OpInfo& op, const Expectation& expect) {
  if (expect.verdict == Verdict::kAccept) return {{"verdict", "accept"}};
  if (expect.rule == kNoRule) return {{"verdict", "reject"}};
  const auto id = expect.any_of_id ? full_id : numbered_id;
  Json out = {{"verdict", "reject"}, {"rule", id(op, expect.rule)}};
  if (expect.argument != kNoField) out["argument"] = op.fields[expect.argument].name;
  return out;
}

}  // namespace

std::string format_call(const OpInfo& op, const NamedCall& named) {
  std::string out = fmt::format("{{\n  \"op\": \"{}\",\n  \"args\": {{\n", op.name);
  for (std::size_t i = 0; i < op.fields.size(); ++i) {
    out += fmt::format("    \"{}\": {}{}\n", op.fields[i].name,
                       line(value_json(op, named.call.values[i], i)),
                       i + 1 < op.fields.size() ? "," : "");
  }
  out += fmt::format("  }},\n  \"current_device\": {},\n  \"fill\": {}", named.call.current_device,
                     named.call.fill);
  if (named.expect.verdict != Verdict::kUnknown) {
    out += ",\n  \"expect\": " + line(expect_json(op, named.expect));
  }
  if (!named.why.empty()) out += ",\n  \"why\": " + line(Json(named.why));
  return out + "\n}\n";
}

}  // namespace prelaunch::fuzz
