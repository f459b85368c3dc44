#include "fuzz/edit.h"

#include <cmath>

#include "fuzz/edit_tensor.h"

namespace prelaunch::fuzz {
namespace {

constexpr int kTries = 64;

// An edit that looks at one tensor only; there is nothing to edit of an absent one.
template <bool (*kEdit)(TensorSpec&, Choices&)>
bool given(Fields, Call& call, std::size_t field, Choices& choose) {
  Value& value = call.values[field];
  return !value.absent && kEdit(value.tensor, choose);
}

// A tensor that comes from nowhere is like a given one, in its own buffer.
bool tensor_presence(Fields fields, Call& call, std::size_t field, Choices& choose) {
  Value& value = call.values[field];
  value.absent = !value.absent;
  const std::size_t like = choose.below(fields.size());
  const Value& other = call.values[like];
  const bool is_tensor = fields[like].type == FieldType::kTensor && !other.absent;
  if (value.absent || value.tensor != TensorSpec{} || !is_tensor) return true;
  value.tensor = other.tensor;
  value.tensor.source = DataSource::kBuffer;
  value.tensor.buffer = static_cast<std::uint8_t>(field);
  return true;
}

bool real_presence(Fields, Call& call, std::size_t field, Choices&) {
  bool& absent = call.values[field].absent;
  absent = !absent;
  return true;
}

bool integer_by_one(Fields, Call& call, std::size_t field, Choices& choose) {
  std::int64_t& value = call.values[field].integer;
  value = sum(value, choose.of({-1, 1}));
  return true;
}

bool integer_to_limit(Fields, Call& call, std::size_t field, Choices& choose) {
  call.values[field].integer = choose.of(kLimits);
  return true;
}

// Limits of an integer are often sizes of a tensor.
bool integer_from_dim(Fields fields, Call& call, std::size_t field, Choices& choose) {
  const std::size_t from = choose.below(fields.size());
  const TensorSpec& t = call.values[from].tensor;
  if (fields[from].type != FieldType::kTensor || dims_of(t) == 0) return false;
  const std::int64_t dim = t.shape[choose.below(dims_of(t))];
  call.values[field].integer = sum(dim, choose.of({-1, 0, 1}));
  return true;
}

bool real_by_one(Fields, Call& call, std::size_t field, Choices& choose) {
  using Limits = std::numeric_limits<float>;
  Value& value = call.values[field];
  if (value.absent || std::isnan(value.real)) return false;
  value.real = std::nextafter(value.real, choose.of({-Limits::infinity(), Limits::infinity()}));
  return true;
}

bool real_to_limit(Fields, Call& call, std::size_t field, Choices& choose) {
  using Limits = std::numeric_limits<float>;
  Value& value = call.values[field];
  if (value.absent) return false;
  value.real = choose.of({0.0f, -0.0f, 1.0f, -1.0f, Limits::infinity(), -Limits::infinity(),
                          Limits::quiet_NaN(), Limits::max(), Limits::lowest(), Limits::min(),
                          Limits::denorm_min(), -Limits::denorm_min(), 0x1p31f, 0x1p63f});
  return true;
}

bool flip(Fields, Call& call, std::size_t field, Choices&) {
  bool& value = call.values[field].boolean;
  value = !value;
  return true;
}

constexpr Edit kTensorEdits[] = {
    {"device_type", given<edit_device_type>},
    {"device_index", given<edit_device_index>},
    {"dtype", given<edit_dtype>},
    {"dtype_width", given<edit_dtype_width>},
    {"rank", given<edit_rank>},
    {"dim_by_one", given<edit_dim_by_one>},
    {"dim_to_limit", given<edit_dim_to_limit>},
    {"stride", given<edit_stride>},
    {"far", given<edit_far>},
    {"null_shape", given<edit_null_shape>},
    {"null_strides", given<edit_null_strides>},
    {"data_to_null", given<edit_data_to_null>},
    {"misalign", given<edit_misalign>},
    {"address", given<edit_address>},
    {"offset", given<edit_offset>},
    {"contents", given<edit_contents>},
    {"overlap_whole", overlap_whole},
    {"overlap_part", overlap_part},
    {"overlap_one_byte", overlap_one_byte},
    {"interleave", interleave},
    {"adjoin", adjoin},
    {"presence", tensor_presence},
};

constexpr Edit kIntegerEdits[] = {{"integer_by_one", integer_by_one},
                                  {"integer_to_limit", integer_to_limit},
                                  {"integer_from_dim", integer_from_dim}};
constexpr Edit kOptionalRealEdits[] = {
    {"real_by_one", real_by_one}, {"real_to_limit", real_to_limit}, {"presence", real_presence}};
constexpr Edit kBooleanEdits[] = {{"flip", flip}};

}  // namespace

std::span<const Edit> edits_of(FieldType type) {
  switch (type) {
    case FieldType::kTensor:
      return kTensorEdits;
    case FieldType::kInteger:
      return kIntegerEdits;
    case FieldType::kReal:
      return std::span(kOptionalRealEdits).first(2);  // without presence
    case FieldType::kBoolean:
      return kBooleanEdits;
    case FieldType::kOptionalReal:
      return kOptionalRealEdits;
  }
  return {};
}

bool apply_edit(const Edit& edit, Fields fields, Call& call, std::size_t field, Choices& choose) {
  const Value before = call.values[field];
  if (edit.edit(fields, call, field, choose) && call.values[field] != before) return true;
  call.values[field] = before;
  return false;
}

bool edit_once(Fields fields, Call& call, Choices& choose) {
  for (int i = 0; i < kTries && !fields.empty(); ++i) {
    const std::size_t field = choose.below(fields.size());
    const std::span<const Edit> edits = edits_of(fields[field].type);
    if (apply_edit(edits[choose.below(edits.size())], fields, call, field, choose)) return true;
  }
  return false;
}

}  // namespace prelaunch::fuzz
