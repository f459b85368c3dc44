// Functions on the stack of a fault in this program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prelaunch::fuzz {

// Of AddressSanitizer's report, made with symbolize=0 by this program or a child of it: the
// functions of kernels/<op>/ on the first stack, innermost first, inlined ones too, without
// namespaces, template arguments and parameters. Empty where there is none, or no symbolizer.
std::vector<std::string> functions_of(std::string_view op, std::string_view report);

// "load_as" of "void prelaunch::RealTensor::load_as<__nv_bfloat16, 4>(long, float (&) [4]) const".
std::string plain_name(std::string_view function);

}  // namespace prelaunch::fuzz
