// The kernel of dflash_greedy: every token that decides is read once.
#include "bench/kernel_bench.h"
#include "kernels/dflash_greedy/cases.h"
#include "kernels/dflash_greedy/contract.h"

namespace prelaunch::bench {
namespace {

using dflash_greedy::Case;
using dflash_greedy::Cases;
using dflash_greedy::Op;

std::int64_t bytes_moved(const Case& of) {
  return of.bs * (of.n * (of.candidates.bytes() + of.target.bytes()) + 4 + 8);
}

[[maybe_unused]] const bool kRegistered =
    register_kernels<Op, Cases, bytes_moved, dflash_greedy::verify>();

}  // namespace
}  // namespace prelaunch::bench
