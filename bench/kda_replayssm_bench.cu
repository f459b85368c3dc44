// The kernel of kda_replayssm: what the definition makes a step read and write. Where cursors are
// drawn, as much as with half of the ring live and no flush.
#include "bench/kernel_bench.h"
#include "kernels/kda_replayssm/cases.h"
#include "kernels/kda_replayssm/contract.h"

namespace prelaunch::bench {
namespace {

using kda_replayssm::Case;
using kda_replayssm::Cases;
using kda_replayssm::Op;

std::int64_t bytes_moved(const Case& of) {
  const std::int64_t live = of.live >= 0 ? of.live : of.L / 2;
  const bool flush = live == of.L - 1;
  const std::int64_t entry = (of.V + of.K) * of.ring.bytes() + of.K * 4;
  const std::int64_t state = of.V * of.K * of.state.bytes();
  return of.B * of.HV * (flush ? 2 * state + live * entry : state + (live + 1) * entry);
}

[[maybe_unused]] const bool kRegistered =
    register_kernels<Op, Cases, bytes_moved, kda_replayssm::verify>();

}  // namespace
}  // namespace prelaunch::bench
