// Every op of the build, described once.
#include "fuzz/describe.h"
#include "fuzz/op_info.h"
#include "prelaunch_ops.h"

namespace prelaunch::fuzz {

std::span<const OpInfo* const> all_ops() {
  static const std::vector<const OpInfo*> ops = [] {
    std::vector<const OpInfo*> out;
    Ops::for_each([&out]<class Entry>() {
      out.push_back(&describe<typename Entry::Op, typename Entry::Cases>());
    });
    return out;
  }();
  return ops;
}

const OpInfo* find_op(std::string_view name) {
  for (const OpInfo* op : all_ops()) {
    if (op->name == name) return op;
  }
  return nullptr;
}

}  // namespace prelaunch::fuzz
