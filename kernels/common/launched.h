// What a launch gives back.
#pragma once

#include "kernels/common/status.h"

namespace prelaunch {

// `args` are the accepted arguments with every output present: one that the call left absent was
// allocated on the launch's stream, belongs to the caller, and is freed with door::release. Valid
// when `status.ok()`; after a failure nothing is left allocated.
template <class Args>
struct Launched {
  Status status;
  Args args;
};

}  // namespace prelaunch
