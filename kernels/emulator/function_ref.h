// A callable that somebody else owns: what std::function is without the heap.
#pragma once

#include <type_traits>
#include <utility>

namespace prelaunch::emulator {

template <class Signature>
class FunctionRef;

template <class Result, class... Parameter>
class FunctionRef<Result(Parameter...)> {
 public:
  FunctionRef() = default;
  // `callable` must outlive every call; a temporary lives to the end of the full expression.
  template <class Callable>
    requires(!std::is_same_v<Callable, FunctionRef>)
  FunctionRef(const Callable& callable)  // NOLINT(google-explicit-constructor): a lambda's stand-in
      : object_(&callable), call_([](const void* object, Parameter... parameter) -> Result {
          return (*static_cast<const Callable*>(object))(std::forward<Parameter>(parameter)...);
        }) {}

  Result operator()(Parameter... parameter) const {
    return call_(object_, std::forward<Parameter>(parameter)...);
  }

 private:
  const void* object_ = nullptr;
  Result (*call_)(const void*, Parameter...) = nullptr;
};

}  // namespace prelaunch::emulator
