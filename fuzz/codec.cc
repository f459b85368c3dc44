#include "fuzz/codec.h"

#include <bit>
#include <cmath>
#include <limits>

namespace prelaunch::fuzz {
namespace {

// Reads zeros past the end.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::uint8_t byte() { return next_ < bytes_.size() ? bytes_[next_++] : std::uint8_t{0}; }

  // LEB128, at most ten bytes; bits past 64 are dropped.
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      const std::uint8_t part = byte();
      if (shift < 64) value |= std::uint64_t{part & 0x7fu} << shift;
      if ((part & 0x80) == 0) break;
    }
    return value;
  }
  // Zigzag: small magnitudes are short, whatever their sign.
  std::int64_t signed_number() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
  }
  // There is one NaN.
  double real() {
    const auto value = std::bit_cast<double>(number());
    return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
  }
  std::int32_t int32() { return static_cast<std::int32_t>(signed_number()); }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t next_ = 0;
};

// Counts what does not fit, too.
class Writer {
 public:
  explicit Writer(std::span<std::uint8_t> room) : room_(room) {}

  void byte(std::uint8_t value) {
    if (size_ < room_.size()) room_[size_] = value;
    ++size_;
  }
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
    byte(static_cast<std::uint8_t>(value));
  }
  void signed_number(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    number(bits << 1 ^ (value < 0 ? ~std::uint64_t{0} : 0));
  }
  void dtype(Dtype value) {
    byte(static_cast<std::uint8_t>(value.code));
    byte(value.bits);
    number(value.lanes);
  }
  void device(Device value) {
    signed_number(static_cast<std::int32_t>(value.type));
    signed_number(value.index);
  }
  void real(double value) { number(std::bit_cast<std::uint64_t>(value)); }
  std::size_t size() const { return size_; }

 private:
  std::span<std::uint8_t> room_;
  std::size_t size_ = 0;
};

// What write(writer) writes.
template <class Write>
std::vector<std::uint8_t> written(Write write) {
  std::vector<std::uint8_t> bytes(kMaxExplicitBytes);
  Writer out(bytes);
  write(out);
  bytes.resize(out.size());
  return bytes;
}

// The bits of a tensor's first byte.
enum : std::uint8_t {
  kAbsent = 1,
  kNullShape = 2,
  kNullStrides = 4,
  kNull = 8,
  kLiteral = 16,
  kFilled = 32
};

constexpr bool rank_is_usable(std::int32_t rank) { return rank >= 0 && rank <= kMaxRank; }

// Of two numbers for one element the later one counts.
void set_at(Fill& fill, const Fill::At& at) {
  for (std::size_t i = 0; i < fill.count; ++i) {
    if (fill.at[i].element != at.element) continue;
    fill.at[i] = at;
    return;
  }
  fill.at[fill.count++] = at;
}

void read_fill(Reader& in, Fill& fill) {
  fill.kind = static_cast<Fill::Kind>(in.byte() % 3);
  const std::size_t count = in.byte() % (Fill::kMaxAt + 1);
  if (fill.kind == Fill::Kind::kNumber) fill.number = in.real();
  for (std::size_t i = 0; i < count; ++i) {
    const auto element = static_cast<std::int64_t>(in.number() >> 1);
    set_at(fill, {element, in.real()});
  }
}

void write_fill(Writer& out, const Fill& fill) {
  out.byte(static_cast<std::uint8_t>(fill.kind));
  out.byte(fill.count);
  if (fill.kind == Fill::Kind::kNumber) out.real(fill.number);
  for (std::size_t i = 0; i < fill.count; ++i) {
    out.number(static_cast<std::uint64_t>(fill.at[i].element) << 1);
    out.real(fill.at[i].number);
  }
}

void read_tensor(Reader& in, Value& value) {
  const std::uint8_t flags = in.byte();
  value.absent = (flags & kAbsent) != 0;
  if (value.absent) return;
  TensorSpec& t = value.tensor;
  t.null_shape = (flags & kNullShape) != 0;
  t.null_strides = (flags & kNullStrides) != 0;
  t.source = (flags & kNull) != 0      ? DataSource::kNull
             : (flags & kLiteral) != 0 ? DataSource::kLiteral
                                       : DataSource::kBuffer;
  t.dtype.code = static_cast<DtypeCode>(in.byte());
  t.dtype.bits = in.byte();
  t.dtype.lanes = static_cast<std::uint16_t>(in.number());
  t.device.type = static_cast<DeviceType>(in.int32());
  t.device.index = in.int32();
  if (t.source == DataSource::kBuffer) t.buffer = in.byte() % kMaxBuffers;
  if (t.source == DataSource::kLiteral) t.literal = in.number();
  t.offset = in.number();
  if ((flags & kFilled) != 0) read_fill(in, t.fill);
  t.rank = in.int32();
  if (!rank_is_usable(t.rank)) return;
  for (std::size_t d = 0; d < static_cast<std::size_t>(t.rank); ++d) {
    if (!t.null_shape) t.shape[d] = in.signed_number();
    if (!t.null_strides) t.strides[d] = in.signed_number();
  }
}

void write_tensor(Writer& out, const Value& value) {
  if (value.absent) return out.byte(kAbsent);
  const TensorSpec& t = value.tensor;
  out.byte(static_cast<std::uint8_t>(
      (t.null_shape ? kNullShape : 0) | (t.null_strides ? kNullStrides : 0) |
      (t.source == DataSource::kNull ? kNull : 0) |
      (t.source == DataSource::kLiteral ? kLiteral : 0) | (t.fill.is_default() ? 0 : kFilled)));
  out.dtype(t.dtype);
  out.device(t.device);
  if (t.source == DataSource::kBuffer) out.byte(t.buffer);
  if (t.source == DataSource::kLiteral) out.number(t.literal);
  out.number(t.offset);
  if (!t.fill.is_default()) write_fill(out, t.fill);
  out.signed_number(t.rank);
  if (!rank_is_usable(t.rank)) return;
  for (std::size_t d = 0; d < static_cast<std::size_t>(t.rank); ++d) {
    if (!t.null_shape) out.signed_number(t.shape[d]);
    if (!t.null_strides) out.signed_number(t.strides[d]);
  }
}

void read_value(Reader& in, FieldType type, Value& value) {
  switch (type) {
    case FieldType::kTensor:
      return read_tensor(in, value);
    case FieldType::kInteger:
      value.integer = in.signed_number();
      return;
    case FieldType::kBoolean:
      value.boolean = (in.byte() & 1) != 0;
      return;
    case FieldType::kOptionalReal:
      value.absent = (in.byte() & 1) != 0;
      if (value.absent) return;
      [[fallthrough]];
    case FieldType::kReal:
      value.real = std::bit_cast<float>(static_cast<std::uint32_t>(in.number()));
  }
}

void write_value(Writer& out, FieldType type, const Value& value) {
  switch (type) {
    case FieldType::kTensor:
      return write_tensor(out, value);
    case FieldType::kInteger:
      return out.signed_number(value.integer);
    case FieldType::kBoolean:
      return out.byte(value.boolean);
    case FieldType::kOptionalReal:
      out.byte(value.absent);
      if (value.absent) return;
      [[fallthrough]];
    case FieldType::kReal:
      out.number(std::bit_cast<std::uint32_t>(value.real));
  }
}

void write_call(Writer& out, const OpInfo& op, const Call& call) {
  out.byte(0);
  out.signed_number(call.current_device);
  out.number(call.fill);
  for (std::size_t i = 0; i < op.fields.size(); ++i) {
    write_value(out, op.fields[i].type, call.values[i]);
  }
}

}  // namespace

Expectation decode(const OpInfo& op, std::span<const std::uint8_t> bytes, Call& call) {
  if (!bytes.empty() && (bytes[0] & 1) != 0) {
    Choices choose(bytes.subspan(1));
    return op.generate(choose, call);
  }
  for (std::size_t i = 0; i < op.fields.size(); ++i) call.values[i] = Value{};
  Reader in(bytes);
  static_cast<void>(in.byte());
  call.current_device = in.int32();
  call.fill = static_cast<std::uint32_t>(in.number());
  for (std::size_t i = 0; i < op.fields.size(); ++i) {
    read_value(in, op.fields[i].type, call.values[i]);
  }
  return {};
}

std::size_t encode(const OpInfo& op, const Call& call, std::span<std::uint8_t> room) {
  Writer out(room);
  write_call(out, op, call);
  return out.size() <= room.size() ? out.size() : 0;
}

std::vector<std::uint8_t> encode(const OpInfo& op, const Call& call) {
  return written([&](Writer& out) { write_call(out, op, call); });
}

std::vector<std::uint8_t> encode_number(std::int64_t value) {
  return written([value](Writer& out) { out.signed_number(value); });
}

std::vector<std::uint8_t> encode_dtype(Dtype dtype) {
  return written([dtype](Writer& out) { out.dtype(dtype); });
}

std::vector<std::uint8_t> encode_device(Device device) {
  return written([device](Writer& out) { out.device(device); });
}

void canonical(const OpInfo& op, Call& call) {
  for (std::size_t i = op.fields.size(); i < kMaxFields; ++i) call.values[i] = Value{};
  std::array<std::uint8_t, kMaxExplicitBytes> bytes;
  const std::size_t size = encode(op, call, bytes);
  Call clean;
  decode(op, std::span(bytes).first(size), clean);
  call = clean;
}

}  // namespace prelaunch::fuzz
