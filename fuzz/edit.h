// Generic edits: each changes one field of a call in one way that follows from the field's type
// alone, so they work for every op. What the edited call's verdict is, nobody knows: it is one edit
// away from what it was.
//
//   tensor    device type and index, dtype, rank, a dimension by one or at a limit, a stride,
//             rows past what 32 bits count,
//             null shape or strides, data null, misaligned or anywhere, byte offset, contents,
//             overlap with another tensor (whole, partial, one byte, interleaved but disjoint,
//             adjacent), presence
//   scalars   by one, at and beyond limits, from a dimension; presence where it is optional
//
// They work on any call, hostile ones included, touch no heap, and do the same for the same choices
// everywhere.
#pragma once

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

using Fields = std::span<const FieldInfo>;

struct Edit {
  std::string_view name;
  // Edits values[field], a field of the type that lists the edit; false where it does not apply,
  // the field then being anything. Use apply_edit().
  bool (*edit)(Fields fields, Call& call, std::size_t field, Choices& choose);
};

// The edits of a type of field.
std::span<const Edit> edits_of(FieldType type);

// True when the field's value is now another one; else the call is as it was.
bool apply_edit(const Edit& edit, Fields fields, Call& call, std::size_t field, Choices& choose);

// Applies some edit to some field. False, with the call as it was, when nothing that was tried
// applies: rare, but some calls resist.
bool edit_once(Fields fields, Call& call, Choices& choose);

}  // namespace prelaunch::fuzz
