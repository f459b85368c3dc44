#include "fuzz/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace prelaunch::fuzz {
namespace {

class Collector {
 public:
  explicit Collector(std::vector<Difference>& out) : out_(out) {}

  void field(std::size_t field) { field_ = field; }
  template <class T>
  void compare(std::string_view property, const T& from, const T& to) {
    compare(property, from, to, from, to);
  }
  // With numbers that say which is more.
  template <class T, class Number>
  void compare(std::string_view property, const T& from, const T& to, const Number& less,
               const Number& more) {
    if (from == to) return;
    out_.push_back({field_, std::string(property), fmt::format("{}", from), fmt::format("{}", to),
                    direction(less, more)});
  }

 private:
  template <class T>
  static char direction(const T& from, const T& to) {
    if constexpr (std::is_arithmetic_v<T>) return from < to ? '+' : from > to ? '-' : '=';
    return '=';
  }

  std::vector<Difference>& out_;
  std::size_t field_ = 0;
};

std::string data_of(const OpInfo& op, const TensorSpec& t) {
  if (t.source == DataSource::kNull) return "null";
  if (t.source == DataSource::kLiteral) return fmt::format("{:#x}", t.literal);
  return buffer_name(op, t.buffer);
}

void compare_dims(Collector& out, std::string_view name, std::span<const std::int64_t> from,
                  std::span<const std::int64_t> to) {
  for (std::size_t d = 0; d < from.size(); ++d) {
    out.compare(fmt::format("{}[{}]", name, d), from[d], to[d]);
  }
}

void compare_tensors(const OpInfo& op, Collector& out, const TensorSpec& from,
                     const TensorSpec& to) {
  const auto text = [](auto value) { return prelaunch::to_string(value); };
  out.compare("dtype", text(from.dtype), text(to.dtype), from.dtype.bits, to.dtype.bits);
  out.compare("device", text(from.device), text(to.device));
  out.compare("rank", from.rank, to.rank);
  out.compare("null_shape", from.null_shape, to.null_shape);
  out.compare("null_strides", from.null_strides, to.null_strides);
  out.compare("data", data_of(op, from), data_of(op, to));
  out.compare("byte_offset", from.offset, to.offset);
  compare_dims(out, "shape", from.shape, to.shape);
  compare_dims(out, "strides", from.strides, to.strides);
}

std::string presence(const Value& value) { return value.absent ? "absent" : "given"; }

}  // namespace

std::vector<Difference> differences(const OpInfo& op, const Call& from, const Call& to) {
  std::vector<Difference> found;
  Collector out(found);
  for (std::size_t i = 0; i < op.fields.size(); ++i) {
    const Value &a = from.values[i], &b = to.values[i];
    out.field(i);
    out.compare("presence", presence(a), presence(b));
    if (a.absent != b.absent) continue;
    out.compare("value", a.integer, b.integer);
    out.compare("value", a.boolean, b.boolean);
    out.compare("value", std::bit_cast<std::uint32_t>(a.real),
                std::bit_cast<std::uint32_t>(b.real));
    if (op.fields[i].type == FieldType::kTensor) compare_tensors(op, out, a.tensor, b.tensor);
  }
  return found;
}

bool is_one_edit(const std::vector<Difference>& all) {
  std::set<std::size_t> fields;
  std::set<std::string> edits;
  for (const Difference& each : all) {
    fields.insert(each.field);
    edits.insert(each.property + "=" + each.to);
  }
  return fields.size() == 1 || edits.size() == 1;
}

std::string to_string(const OpInfo& op, const std::vector<Difference>& all) {
  std::string out;
  for (const Difference& each : all) {
    out += fmt::format("{}{}.{}: {} -> {}", out.empty() ? "" : ", ", op.fields[each.field].name,
                       each.property, each.from, each.to);
  }
  return out;
}

}  // namespace prelaunch::fuzz
