// Calls for the tests of a call's forms: hostile in every member, and an op with every kind of
// field.
#pragma once

#include <array>
#include <bit>
#include <limits>

#include "fuzz/describe.h"
#include "kernels/common/sample_op.h"

namespace prelaunch::fuzz {

inline std::int64_t hostile_number(Choices& choose) {
  using Limits = std::numeric_limits<std::int64_t>;
  static constexpr std::int64_t kEdges[] = {Limits::min(),
                                            Limits::min() + 1,
                                            std::numeric_limits<std::int32_t>::min(),
                                            -1,
                                            0,
                                            1,
                                            127,
                                            128,
                                            std::numeric_limits<std::int32_t>::max(),
                                            std::int64_t{1} << 32,
                                            Limits::max() - 1,
                                            Limits::max()};
  switch (choose.below(3)) {
    case 0:
      return choose.of(kEdges);
    case 1:
      return choose.between(-2, 9);
    default:
      return static_cast<std::int64_t>(choose.below(0));
  }
}

inline std::int32_t hostile_int32(Choices& choose) {
  return static_cast<std::int32_t>(hostile_number(choose));
}

inline double hostile_real(Choices& choose) {
  if (choose.one_in(2)) return std::bit_cast<double>(choose.below(0));
  return static_cast<double>(hostile_number(choose));
}

inline Fill hostile_fill(Choices& choose) {
  Fill fill;
  fill.kind = choose.of({Fill::Kind::kOrdinary, Fill::Kind::kBytes, Fill::Kind::kNumber});
  fill.number = hostile_real(choose);
  fill.count = static_cast<std::uint8_t>(choose.below(Fill::kMaxAt + 1));
  for (Fill::At& at : fill.at) {
    at = {choose.between(0, choose.one_in(2) ? 2 : std::numeric_limits<std::int64_t>::max()),
          hostile_real(choose)};
  }
  return fill;
}

inline TensorSpec hostile_spec(Choices& choose) {
  TensorSpec t;
  t.dtype = {static_cast<DtypeCode>(choose.below(256)),
             static_cast<std::uint8_t>(choose.below(256)),
             static_cast<std::uint16_t>(hostile_number(choose))};
  if (choose.one_in(2)) t.dtype = choose.of({kBfloat16, kFloat32, kUInt8, kInt64});
  t.device = {
      static_cast<DeviceType>(choose.one_in(2) ? choose.between(0, 14) : hostile_number(choose)),
      hostile_int32(choose)};
  t.rank = choose.one_in(4) ? hostile_int32(choose) : static_cast<std::int32_t>(choose.below(9));
  t.null_shape = choose.one_in(4);
  t.null_strides = choose.one_in(3);
  t.source = choose.of({DataSource::kBuffer, DataSource::kNull, DataSource::kLiteral});
  t.buffer = static_cast<std::uint8_t>(choose.below(256));
  t.offset = static_cast<std::uint64_t>(hostile_number(choose));
  t.literal = static_cast<std::uint64_t>(hostile_number(choose));
  for (std::int64_t& dim : t.shape) dim = hostile_number(choose);
  for (std::int64_t& stride : t.strides) stride = hostile_number(choose);
  if (choose.one_in(2)) t.fill = hostile_fill(choose);
  return t;
}

// Anything in every member, those that mean nothing included.
inline Call hostile_call(Choices& choose) {
  Call call;
  call.current_device = hostile_int32(choose);
  call.fill = static_cast<std::uint32_t>(hostile_number(choose));
  for (Value& value : call.values) {
    value.absent = choose.one_in(4);
    value.boolean = choose.one_in(2);
    value.real = std::bit_cast<float>(static_cast<std::uint32_t>(hostile_number(choose)));
    value.integer = hostile_number(choose);
    value.tensor = hostile_spec(choose);
  }
  return call;
}

// What of a fill means something: the one NaN, and of two numbers for an element the later one.
inline Fill meaning(const Fill& fill) {
  const auto real = [](double number) {
    return number != number ? std::numeric_limits<double>::quiet_NaN() : number;
  };
  Fill out;
  out.kind = fill.kind;
  if (fill.kind == Fill::Kind::kNumber) out.number = real(fill.number);
  for (std::size_t i = 0; i < fill.count; ++i) {
    std::size_t at = 0;
    while (at < out.count && out.at[at].element != fill.at[i].element) ++at;
    if (at == out.count) ++out.count;
    out.at[at] = {fill.at[i].element, real(fill.at[i].number)};
  }
  return out;
}

// What of a tensor means something.
inline TensorSpec meaning(TensorSpec t) {
  const bool usable = t.rank >= 0 && t.rank <= kMaxRank;
  for (std::size_t d = 0; d < kMaxRank; ++d) {
    const bool counts = usable && d < static_cast<std::size_t>(t.rank);
    if (!counts || t.null_shape) t.shape[d] = 0;
    if (!counts || t.null_strides) t.strides[d] = 0;
  }
  t.buffer = t.source == DataSource::kBuffer ? t.buffer % kMaxBuffers : 0;
  if (t.source != DataSource::kLiteral) t.literal = 0;
  t.fill = meaning(t.fill);
  return t;
}

// What of a call means something, spelled independently of canonical().
inline Call meaning(const OpInfo& op, const Call& call) {
  Call out;
  out.current_device = call.current_device;
  out.fill = call.fill;
  for (std::size_t i = 0; i < op.fields.size(); ++i) {
    const FieldType type = op.fields[i].type;
    const Value& from = call.values[i];
    Value& to = out.values[i];
    to.absent = from.absent && (type == FieldType::kTensor || type == FieldType::kOptionalReal);
    if (to.absent) continue;
    if (type == FieldType::kTensor) to.tensor = meaning(from.tensor);
    if (type == FieldType::kInteger) to.integer = from.integer;
    if (type == FieldType::kBoolean) to.boolean = from.boolean;
    if (type == FieldType::kReal || type == FieldType::kOptionalReal) to.real = from.real;
  }
  return out;
}

// The op of kernels/common/sample_op.h. It has no kernel: nothing may judge its calls.
inline const OpInfo& sample_op() {
  static const OpInfo op{.name = sample::Op::kName,
                         .fields = kFieldInfos<sample::Op>,
                         .rules = kRuleInfos<sample::Op>,
                         .judge = nullptr,
                         .generate = [](Choices& choose, Call& call) {
                           call = meaning(sample_op(), hostile_call(choose));
                           return Expectation{};
                         }};
  return op;
}

}  // namespace prelaunch::fuzz
