// Every op of the build, from the one list of ops.
#include "bench/validation.h"
#include "prelaunch_ops.h"

namespace prelaunch::bench {
namespace {

template <class Op, class Cases>
std::optional<std::string> first_wrong() {
  return first_disagreement<Op, Cases>(table_verdict<Op>, handwritten<Op>);
}

}  // namespace

std::vector<Suite> validation_suites() {
  std::vector<Suite> suites;
  Ops::for_each([&suites]<class Entry>() {
    using Op = typename Entry::Op;
    using Cases = typename Entry::Cases;
    suites.push_back({Op::kName, add_validation<Op, Cases>, first_wrong<Op, Cases>});
  });
  return suites;
}

std::vector<Suite>& kernel_suites() {
  static std::vector<Suite> suites;
  return suites;
}

}  // namespace prelaunch::bench
