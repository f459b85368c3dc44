// The kernels of dflash_sampling: the logits once, and one row of each request once more.
#include "bench/kernel_bench.h"
#include "kernels/dflash_sampling/cases.h"
#include "kernels/dflash_sampling/contract.h"

namespace prelaunch::bench {
namespace {

using dflash_sampling::Case;
using dflash_sampling::Cases;
using dflash_sampling::Op;

std::int64_t bytes_moved(const Case& of) {
  return of.bs * (of.n + 1) * of.vocab * of.logits.bytes();
}

[[maybe_unused]] const bool kRegistered =
    register_kernels<Op, Cases, bytes_moved, dflash_sampling::verify>();

}  // namespace
}  // namespace prelaunch::bench
