// What stands behind each function of the C interface. The functions themselves and their header,
// prelaunch.h, are written from the ops' field lists by write_capi.cc: an op is added nowhere here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "kernels/common/contract.h"
#include "kernels/common/door.h"
#include "kernels/common/explain.h"
#include "kernels/common/launched.h"

namespace prelaunch::capi {

// PrelaunchResult of prelaunch.h.
enum Result : int { kOk = 0, kRejected = 1, kFailed = 2 };

// The caller's memory for one line of text; may be none.
struct ErrorBuffer {
  char* text;
  std::size_t size;

  // Cut where it is too long; always ends in a NUL.
  void write(std::string_view line) const noexcept {
    if (text == nullptr || size == 0) return;
    const std::size_t count = std::min(line.size(), size - 1);
    std::memcpy(text, line.data(), count);
    text[count] = '\0';
  }
};

inline void set(TensorView& member, const DLTensor* value) {
  member.read(value, door::device_count());
}
inline void set(std::optional<float>& member, const float* value) {
  if (value != nullptr) member = *value;
}
template <class Scalar>
void set(Scalar& member, Scalar value) {
  member = value;
}

// `values` are the op's arguments in field order.
template <class Op, class... Value>
typename Op::Args args_of(Value... values) {
  typename Op::Args args;
  [&]<std::size_t... kField>(std::index_sequence<kField...>) {
    constexpr auto member = []<std::size_t kIndex>() {
      return std::get<Op::kFields[kIndex].member.index()>(Op::kFields[kIndex].member);
    };
    (set(args.*(member.template operator()<kField>()), values), ...);
  }(std::index_sequence_for<Value...>());
  return args;
}

// The first output that is absent: nobody could get hold of what a launch would allocate for it.
template <class Op>
const char* absent_output(const typename Op::Args& args) {
  const char* name = nullptr;
  for_each_tensor<Op>(args, [&](const auto& field, const TensorView& view) {
    if (name == nullptr && field.role == Role::kOutput && !view.given) name = field.name.data();
  });
  return name;
}

template <class Op>
Result check_and_launch(const typename Op::Args& args, Stream stream, const ErrorBuffer& error) {
  const Check<Op> checked = check<Op>(args);
  if (!checked) {
    const Explanation said = explain(checked);
    error.write(said.message + " [" + said.rule + ", argument " + said.argument + "; " +
                said.arguments + "]");
    return kRejected;
  }
  if (const char* name = absent_output<Op>(args)) {
    error.write(std::string(Op::kName) + ": " + name +
                " must be given: the C interface allocates no outputs");
    return kRejected;
  }
  const Status status = launch(checked.accepted(), stream).status;
  if (!status.ok()) error.write(status.message());
  return status.ok() ? kOk : kFailed;
}

template <class Op, class... Value>
Result call(Stream stream, ErrorBuffer error, Value... values) noexcept {
  error.write("");
  try {
    return check_and_launch<Op>(args_of<Op>(values...), stream, error);
  } catch (const std::exception& exception) {  // of an allocation for the message
    error.write(exception.what());
  } catch (...) {
    error.write("unknown exception");
  }
  return kFailed;
}

}  // namespace prelaunch::capi
