// The tensor's part of the table in fuzz/edit.cc. Each returns false where it does not apply.
#pragma once

#include <limits>

#include "fuzz/edit.h"

namespace prelaunch::fuzz {

inline constexpr std::int64_t kLimits[] = {
    0, 1, -1, (std::int64_t{1} << 31) - 1, std::int64_t{1} << 31, (std::int64_t{1} << 32) - 1,
    std::int64_t{1} << 32, std::int64_t{1} << 62, std::numeric_limits<std::int64_t>::max(),
    // 2^63, as what holds it reads it.
    std::numeric_limits<std::int64_t>::min()};

// They wrap: what they meet may be a hostile call's.
constexpr std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
constexpr std::int64_t product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// How many of the spec's dimensions mean something.
constexpr std::size_t dims_of(const TensorSpec& t) {
  const bool usable = !t.null_shape && t.rank >= 0 && t.rank <= kMaxRank;
  return usable ? static_cast<std::size_t>(t.rank) : 0;
}

// Spelled out, compact.
void give_compact_strides(TensorSpec& t);

// --- the descriptor, by itself: fuzz/edit_tensor.cc
// ------------------------------------------------
bool edit_device_type(TensorSpec& t, Choices& choose);
bool edit_device_index(TensorSpec& t, Choices& choose);
bool edit_dtype(TensorSpec& t, Choices& choose);
bool edit_dtype_width(TensorSpec& t, Choices& choose);
bool edit_rank(TensorSpec& t, Choices& choose);
bool edit_dim_by_one(TensorSpec& t, Choices& choose);
bool edit_dim_to_limit(TensorSpec& t, Choices& choose);
bool edit_stride(TensorSpec& t, Choices& choose);
// The rows of its first dimension past what 32 bits count.
bool edit_far(TensorSpec& t, Choices& choose);
bool edit_null_shape(TensorSpec& t, Choices& choose);
bool edit_null_strides(TensorSpec& t, Choices& choose);
bool edit_data_to_null(TensorSpec& t, Choices& choose);
// By less than an element.
bool edit_misalign(TensorSpec& t, Choices& choose);
// An address that is in no buffer.
bool edit_address(TensorSpec& t, Choices& choose);
bool edit_offset(TensorSpec& t, Choices& choose);
bool edit_contents(TensorSpec& t, Choices& choose);

// --- its place in the buffer of another tensor: fuzz/edit_overlap.cc
// --------------------------------
bool overlap_whole(Fields fields, Call& call, std::size_t field, Choices& choose);
// From an element of the other one on, or up to its first.
bool overlap_part(Fields fields, Call& call, std::size_t field, Choices& choose);
// The other one's last byte is its first.
bool overlap_one_byte(Fields fields, Call& call, std::size_t field, Choices& choose);
// Extents cross, no byte is shared: its rows lie in the gaps between the other one's.
bool interleave(Fields fields, Call& call, std::size_t field, Choices& choose);
// It starts where the other one ends.
bool adjoin(Fields fields, Call& call, std::size_t field, Choices& choose);

}  // namespace prelaunch::fuzz
