// The words of an op's byte form, for engines that mutate it blindly.
#pragma once

#include <string>

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

// The dtypes, devices and numbers of `calls`, which are the op's, as the byte form spells them, one
// name="\xNN.." a line: the format that libFuzzer and AFL++ share. What takes one byte is left out:
// an engine finds it by itself.
std::string dictionary(const OpInfo& op, std::span<const NamedCall> calls);

}  // namespace prelaunch::fuzz
