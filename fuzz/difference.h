// How far apart two calls are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

// One property in which two calls differ: "shape[1]" of field 2, "3" here and "4" there.
struct Difference {
  std::size_t field;
  std::string property, from, to;
  // '+' or '-' where it is a number that grew or shrank, '=' for the rest.
  char direction = '=';
};

// Canonical calls of one op. What the caller's current device is and what tensors hold is left out:
// no contract looks at it.
std::vector<Difference> differences(const OpInfo& op, const Call& from, const Call& to);

// Whether the differences are one edit: of one field, or, where several fields must agree, the same
// of each.
bool is_one_edit(const std::vector<Difference>& differences);

// "k.shape[1]: 3 -> 4", with several properties or fields one after the other.
std::string to_string(const OpInfo& op, const std::vector<Difference>& differences);

}  // namespace prelaunch::fuzz
