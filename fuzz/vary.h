// Changes that leave a valid call valid: where the caller stands, what the memory holds, the
// tensors' device, null strides.
#pragma once

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

// Null strides stand for compact ones; other strides stay.
void nullify_compact_strides(TensorSpec& t);

// Numbers that somebody's guard forgets, in one element or in all.
void put_odd_numbers(Fill& fill, Choices& choose);

void vary(std::span<const FieldInfo> fields, Call& call, Choices& choose);

}  // namespace prelaunch::fuzz
