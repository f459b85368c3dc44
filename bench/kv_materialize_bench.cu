// The kernel of kv_materialize: kv is read once and written once, with a row of angles a token and
// the weights.
#include "bench/kernel_bench.h"
#include "kernels/kv_materialize/cases.h"
#include "kernels/kv_materialize/contract.h"

namespace prelaunch::bench {
namespace {

using kv_materialize::Case;
using kv_materialize::Cases;
using kv_materialize::Op;

std::int64_t bytes_moved(const Case& of) {
  const std::int64_t kv_size = of.num_kv_heads * of.head_dim;
  return 2 * of.total_ctx * of.n_layers * 2 * kv_size * of.dtype.bytes() +
         of.total_ctx * of.rotary_dim * of.angles.bytes() +
         of.n_layers * of.head_dim * of.weight.bytes();
}

[[maybe_unused]] const bool kRegistered =
    register_kernels<Op, Cases, bytes_moved, kv_materialize::verify>();

}  // namespace
}  // namespace prelaunch::bench
