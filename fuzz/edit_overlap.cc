#include <algorithm>
#include <optional>

#include "fuzz/edit_tensor.h"

namespace prelaunch::fuzz {
namespace {

// Sizes past this are left alone: sums and products of a few that are not stay within int64.
constexpr std::int64_t kMost = std::int64_t{1} << 30;

bool is_moderate(std::int64_t value) { return value >= 0 && value <= kMost; }

// A tensor's bytes in its buffer, [begin, end), not empty.
struct Span {
  std::int64_t begin, end;
  std::int64_t size() const { return end - begin; }
};

std::optional<Span> span_of(const TensorSpec& t) {
  const auto end = bytes_needed(t);
  const auto begin = static_cast<std::int64_t>(t.offset);
  if (!end || !is_moderate(*end) || !is_moderate(begin) || *end <= begin) return std::nullopt;
  return Span{begin, *end};
}

// Another tensor that lies in a buffer, and where.
struct Other {
  const TensorSpec* tensor;
  Span span;
};

std::optional<Other> other_tensor(Fields fields, const Call& call, std::size_t field,
                                  Choices& choose) {
  const std::size_t i = choose.below(fields.size());
  const Value& value = call.values[i];
  if (i == field || fields[i].type != FieldType::kTensor || value.absent) return std::nullopt;
  if (value.tensor.source != DataSource::kBuffer) return std::nullopt;
  const auto span = span_of(value.tensor);
  if (!span) return std::nullopt;
  return Other{&value.tensor, *span};
}

bool put_at(TensorSpec& t, const Other& other, std::int64_t begin) {
  if (begin < 0) return false;
  t.source = DataSource::kBuffer;
  t.literal = 0;
  t.buffer = other.tensor->buffer % kMaxBuffers;
  t.offset = static_cast<std::uint64_t>(begin);
  return true;
}

// The tensor to place, the one to place it by, and the former's element size; nothing where one of
// them has no bytes.
struct Pair {
  TensorSpec& tensor;
  Other other;
  Span own;
  std::int64_t item;
};

std::optional<Pair> pair_of(Fields fields, Call& call, std::size_t field, Choices& choose) {
  Value& value = call.values[field];
  if (value.absent) return std::nullopt;
  const auto other = other_tensor(fields, call, field, choose);
  const auto own = span_of(value.tensor);
  if (!other || !own) return std::nullopt;
  return Pair{value.tensor, *other, *own, value.tensor.dtype.bytes()};
}

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// The longest steps of a tensor: `count` blocks of `block` bytes, `step` bytes apart. Everything
// else of it is inside the blocks, so what is in a gap between them is no byte of it.
struct Blocks {
  std::int64_t block, step;
};

std::optional<Blocks> blocks_of(const TensorSpec& t, const Span& span) {
  std::int64_t count = 0, step = 0;
  for (std::size_t d = 0; d < dims_of(t) && !t.null_strides; ++d) {
    if (t.shape[d] <= 1 || t.strides[d] <= step) continue;
    step = t.strides[d];
    count = t.shape[d];
  }
  if (!is_moderate(step)) return std::nullopt;
  const std::int64_t bytes = step * t.dtype.bytes();
  const std::int64_t block = span.size() - (count - 1) * bytes;
  if (count < 2 || block >= bytes) return std::nullopt;
  return Blocks{block, bytes};
}

// The first dimension of more than one element; null where there is none.
std::int64_t* first_stride(TensorSpec& t) {
  for (std::size_t d = 0; d < dims_of(t); ++d) {
    if (t.shape[d] > 1) return &t.strides[d];
  }
  return nullptr;
}

}  // namespace

bool overlap_whole(Fields fields, Call& call, std::size_t field, Choices& choose) {
  const auto pair = pair_of(fields, call, field, choose);
  return pair && put_at(pair->tensor, pair->other, pair->other.span.begin);
}

bool overlap_part(Fields fields, Call& call, std::size_t field, Choices& choose) {
  const auto pair = pair_of(fields, call, field, choose);
  if (!pair) return false;
  const auto& [begin, end] = pair->other.span;
  const std::int64_t before = pair->own.size() - pair->item;
  const std::int64_t steps = (end - begin - 1) / pair->item;
  if (choose.one_in(2)) return before > 0 && put_at(pair->tensor, pair->other, begin - before);
  return steps > 0 &&
         put_at(pair->tensor, pair->other, begin + pair->item * choose.between(1, steps));
}

bool overlap_one_byte(Fields fields, Call& call, std::size_t field, Choices& choose) {
  const auto pair = pair_of(fields, call, field, choose);
  return pair && put_at(pair->tensor, pair->other, pair->other.span.end - 1);
}

bool adjoin(Fields fields, Call& call, std::size_t field, Choices& choose) {
  const auto pair = pair_of(fields, call, field, choose);
  return pair && put_at(pair->tensor, pair->other, round_up(pair->other.span.end, pair->item));
}

// Its strides become compact, apart from the first, which is the other one's longest step.
bool interleave(Fields fields, Call& call, std::size_t field, Choices& choose) {
  const auto pair = pair_of(fields, call, field, choose);
  if (!pair) return false;
  const auto blocks = blocks_of(*pair->other.tensor, pair->other.span);
  if (!blocks || blocks->step % pair->item != 0) return false;
  give_compact_strides(pair->tensor);
  std::int64_t* const first = first_stride(pair->tensor);
  if (first != nullptr && !is_moderate(*first)) return false;
  const std::int64_t row = (first != nullptr ? *first : 1) * pair->item;
  const std::int64_t begin = round_up(pair->other.span.begin + blocks->block, pair->item);
  const std::int64_t room = pair->other.span.begin + blocks->step - row - begin;
  if (room < 0) return false;
  if (first != nullptr) *first = blocks->step / pair->item;
  return put_at(pair->tensor, pair->other,
                begin + pair->item * choose.between(0, room / pair->item));
}

}  // namespace prelaunch::fuzz
