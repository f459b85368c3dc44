// The kernel of kda_replayssm on random contents: what the definition makes a step read and write
// with half of the ring live and no flush.
#include "bench/kernel_bench.h"
#include "kernels/kda_replayssm/cases.h"
#include "kernels/kda_replayssm/contract.h"

namespace prelaunch::bench {
namespace {

using kda_replayssm::Case;
using kda_replayssm::Cases;
using kda_replayssm::Op;

std::int64_t bytes_moved(const Case& of) {
  const std::int64_t live = of.L / 2;
  const std::int64_t entry = (of.V + of.K) * of.ring.bytes() + of.K * 4;
  return of.B * of.HV * (of.V * of.K * of.state.bytes() + (live + 1) * entry);
}

[[maybe_unused]] const bool kRegistered =
    register_kernels<Op, Cases, bytes_moved, kda_replayssm::verify>();

}  // namespace
}  // namespace prelaunch::bench
