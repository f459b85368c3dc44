// The kernel of ulysses_pack: every byte of q, k and v is read once, and written once.
#include "bench/kernel_bench.h"
#include "kernels/ulysses_pack/cases.h"
#include "kernels/ulysses_pack/contract.h"

namespace prelaunch::bench {
namespace {

using ulysses_pack::Case;
using ulysses_pack::Cases;
using ulysses_pack::Op;

std::int64_t bytes_moved(const Case& of) {
  return 2 * 3 * of.rows * of.heads * of.head_size * of.dtype.bytes();
}

[[maybe_unused]] const bool kRegistered =
    register_kernels<Op, Cases, bytes_moved, ulysses_pack::verify>();

}  // namespace
}  // namespace prelaunch::bench
