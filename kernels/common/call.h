// A call: an op's arguments as data, before any memory exists. What cases describe, a fuzzer
// generates, a corpus stores, `replay` replays. It owns no heap. Its byte and JSON forms are in
// fuzz/codec.h and fuzz/json.h; memory for it comes from an arena (or, where nothing is run, from
// addresses that are only numbers).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "kernels/common/field.h"

namespace prelaunch {

inline constexpr std::size_t kMaxFields = 20;
// Each field has a buffer of its own; the others are for views that share one.
inline constexpr std::size_t kMaxBuffers = 24;

// Where a tensor's data pointer comes from.
enum class DataSource : std::uint8_t { kBuffer, kNull, kLiteral };

inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// What a tensor's elements hold before the call.
struct Fill {
  enum class Kind : std::uint8_t {
    kOrdinary,  // what the op's prepare() draws; where it draws nothing, random bytes
    kBytes,     // random bytes
    kNumber,    // `number` in every element
  };
  // An element, in row-major order, that holds something else. One past the last is ignored.
  struct At {
    std::int64_t element = 0;
    double number = 0;
    friend bool operator==(const At& a, const At& b) {
      return a.element == b.element && same_bits(a.number, b.number);
    }
  };
  static constexpr std::size_t kMaxAt = 3;

  Kind kind = Kind::kOrdinary;
  std::uint8_t count = 0;  // of `at`
  double number = 0;
  std::array<At, kMaxAt> at{};

  bool is_default() const { return kind == Kind::kOrdinary && count == 0; }
  // A NaN equals itself.
  friend bool operator==(const Fill& a, const Fill& b) {
    return a.kind == b.kind && a.count == b.count && same_bits(a.number, b.number) && a.at == b.at;
  }
};

// A DLTensor as data. Any value of any member is a call; only some are accepted.
struct TensorSpec {
  Dtype dtype;
  Device device = cuda(0);
  std::int32_t rank = 0;
  bool null_shape = false;
  bool null_strides = false;
  DataSource source = DataSource::kBuffer;
  // kBuffer: tensors with the same number lie in one buffer, whose size is what they need.
  std::uint8_t buffer = 0;
  // The descriptor's byte_offset.
  std::uint64_t offset = 0;
  // kLiteral: the data pointer. Never dereferenced.
  std::uint64_t literal = 0;
  // Entries at and after the rank are 0. Strides in elements, without meaning when null_strides.
  std::array<std::int64_t, kMaxRank> shape{}, strides{};
  Fill fill{};

  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

// The value of one field: the member of its type counts.
struct Value {
  bool absent = false;
  bool boolean = false;
  float real = 0;
  std::int64_t integer = 0;
  TensorSpec tensor;

  // Compares the bits of `real`: a NaN equals itself.
  friend bool operator==(const Value& a, const Value& b) {
    return a.absent == b.absent && a.boolean == b.boolean &&
           std::bit_cast<std::uint32_t>(a.real) == std::bit_cast<std::uint32_t>(b.real) &&
           a.integer == b.integer && a.tensor == b.tensor;
  }
};

struct Call {
  // The calling thread's current device.
  std::int32_t current_device = 0;
  // Seed of what the buffers hold before the call.
  std::uint32_t fill = 0;
  // One per field of the op, in field order; the rest is unused.
  std::array<Value, kMaxFields> values{};

  friend bool operator==(const Call&, const Call&) = default;
};

inline constexpr std::size_t kNoField = static_cast<std::size_t>(-1);

// What a call's author knows about its verdict.
enum class Verdict : std::uint8_t { kUnknown, kAccept, kReject };
struct Expectation {
  Verdict verdict = Verdict::kUnknown;
  // kReject: index of the rule in the op's table, or kNoRule (contract.h) for any.
  std::size_t rule = static_cast<std::size_t>(-1);
  // Any rule of the same id will do: the author named an id that two rules share.
  bool any_of_id = false;
  // kReject, a rule over a group: position of the argument that the message blames, or kNoField.
  std::size_t argument = kNoField;
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

// Position of a field in the op's list; does not compile for a name that is none.
template <class Op>
consteval std::size_t field_index(std::string_view name) {
  for (std::size_t i = 0; i < Op::kFields.size(); ++i) {
    if (Op::kFields[i].name == name) return i;
  }
  throw "no such field";
}

// A tensor with compact strides at the start of buffer `buffer`.
TensorSpec compact(Dtype dtype, Device device, std::uint8_t buffer,
                   std::initializer_list<std::int64_t> shape);

// Bytes from the data pointer to one past the last element that the spec describes, its offset
// included; nothing when that does not fit int64 or the descriptor is malformed.
std::optional<std::int64_t> bytes_needed(const TensorSpec& spec);

// Where the buffers of a call lie: an address and a size for each.
struct Placement {
  std::array<std::uintptr_t, kMaxBuffers> base{};
  std::array<std::int64_t, kMaxBuffers> size{};
};

// Which of an op's fields are tensors: bit i for field i.
template <class Op>
consteval std::uint32_t tensor_fields() {
  std::uint32_t mask = 0;
  for (std::size_t i = 0; i < Op::kFields.size(); ++i) {
    mask |= std::uint32_t{Op::kFields[i].is_tensor()} << i;
  }
  return mask;
}

// Sizes only: for each buffer, what the largest of its tensors needs (those whose needs are a
// number).
Placement measure_buffers(const Call& call, std::uint32_t tensors);
// Sizes, and addresses one after the other from `start` on, 256-byte aligned, 256 bytes apart.
Placement place_buffers(const Call& call, std::uint32_t tensors, std::uintptr_t start);

// The descriptor of a tensor whose buffer lies at `base`. Borrows the spec's shape and strides.
DLTensor describe(const TensorSpec& spec, std::uintptr_t base);

// The arguments of `Op` that a call stands for, with its buffers where `placement` says. Goes
// through DLPack descriptors as a caller would.
template <class Op>
typename Op::Args bind(const Call& call, const Placement& placement, DeviceCount devices) {
  typename Op::Args args;
  for (std::size_t i = 0; i < Op::kFields.size(); ++i) {
    const Value& value = call.values[i];
    std::visit(
        [&]<class T>(T Op::Args::* member) {
          if constexpr (std::is_same_v<T, TensorView>) {
            const DLTensor tensor =
                describe(value.tensor, placement.base[value.tensor.buffer % kMaxBuffers]);
            (args.*member).read(value.absent ? nullptr : &tensor, devices);
          } else if constexpr (std::is_same_v<T, std::int64_t>) {
            args.*member = value.integer;
          } else if constexpr (std::is_same_v<T, bool>) {
            args.*member = value.boolean;
          } else if constexpr (std::is_same_v<T, float>) {
            args.*member = value.real;
          } else {
            args.*member = value.absent ? std::nullopt : std::optional(value.real);
          }
        },
        Op::kFields[i].member);
  }
  return args;
}

}  // namespace prelaunch
