// Two kernels. The first has one block a row of logits, reached or not: rows do not wait for each
// other, and the logits are most of what there is to read. It reads a row once for its maximum and
// its mass, more often (out of L2) where top_k or top_p look for a cut-off, and leaves a verdict.
// The second has one block a request: it finds the row where the chain of verdicts stops and draws
// the bonus token from it, reading that row once more.
//
// Sums of masses are taken in an order that only the shape decides, so a call gives the same answer
// on every run. Cut-offs are values of logits, found digit by digit; masses of equal tokens are
// equal, so nothing depends on which of them came first.
#include <algorithm>
#include <type_traits>

#include "kernels/common/outputs.h"
#include "kernels/dflash_sampling/dflash_sampling.h"
#include "kernels/dflash_sampling/draw.h"
#include "kernels/dflash_sampling/judge.h"

namespace prelaunch::dflash_sampling {
namespace {

PerRequest<float> per_request(const TensorView& t) {
  if (!t.given) return {nullptr, 0};
  return {reinterpret_cast<const float*>(t.address), stride_of(t, 0)};
}

// Rows that share one scratch: what bounds it. Few when emulated, so that batches are split there
// too.
constexpr std::int64_t kChunkRows =
#if defined(PRELAUNCH_EMULATED)
    8;
#else
    std::int64_t{1} << 20;
#endif
constexpr std::int64_t kMaxBlocks = (std::int64_t{1} << 31) - 1;

template <class Type, bool kVectors>
Status launch_as(const Args& a, Verification v, const door::Scratch& scratch, std::int64_t chunk,
                 Stream stream) {
  const std::int64_t bs = a.candidates.shape[0];
  for (v.first = 0; v.first < bs; v.first += v.count) {
    v.count = std::min(chunk, bs - v.first);
    const std::int64_t rows = std::min(v.count * v.n, kMaxBlocks);
    const door::Grid judge{.blocks = dim3(static_cast<unsigned>(rows)),
                           .threads = dim3(kRowThreads),
                           .scratch = &scratch};
    Status status =
        door::launch<Op>(a, a.candidates.device, judge, stream, judge_kernel<Type, kVectors>, v);
    if (!status.ok()) return status;
    const door::Grid draw{.blocks = dim3(static_cast<unsigned>(std::min(v.count, kMaxBlocks))),
                          .threads = dim3(kDrawThreads),
                          .scratch = &scratch};
    status = door::launch<Op>(a, a.candidates.device, draw, stream, draw_kernel<Type, kVectors>, v);
    if (!status.ok()) return status;
  }
  return {};
}

template <class Type>
Status launch_type(const Args& a, const Verification& v, const door::Scratch& scratch,
                   std::int64_t chunk, Stream stream) {
  const std::uint64_t row_bytes =
      static_cast<std::uint64_t>(stride_of(a.next_token_logits, 0)) * sizeof(typename Type::Bits);
  return ((a.next_token_logits.address | row_bytes) & 15u) == 0
             ? launch_as<Type, true>(a, v, scratch, chunk, stream)
             : launch_as<Type, false>(a, v, scratch, chunk, stream);
}

Status launch_verification(const Args& a, Stream stream) {
  const std::int64_t n = a.candidates.shape[1];
  const std::int64_t chunk =
      std::min(std::max(kChunkRows / n, std::int64_t{1}), a.candidates.shape[0]);
  door::Scratch scratch;
  Status status =
      scratch.allocate(Op::kName, chunk * n * static_cast<std::int64_t>(sizeof(Row)), stream);
  if (!status.ok()) return status;
  const Verification v{
      .first = 0,
      .count = 0,
      .n = n,
      .vocab = a.next_token_logits.shape[1],
      .logits = reinterpret_cast<const void*>(a.next_token_logits.address),
      .logits_row = stride_of(a.next_token_logits, 0),
      .candidates = index_source(a.candidates),
      .top_ks = a.top_ks.given ? index_source(a.top_ks) : IndexSource{nullptr, false},
      .candidates_row = stride_of(a.candidates, 0),
      .candidates_column = stride_of(a.candidates, 1),
      .coins_row = stride_of(a.uniform_samples, 0),
      .coins_column = stride_of(a.uniform_samples, 1),
      .top_ks_stride = a.top_ks.given ? stride_of(a.top_ks, 0) : 0,
      .temperatures = per_request(a.temperatures),
      .top_ps = per_request(a.top_ps),
      .final_coins = per_request(a.uniform_samples_for_final_sampling),
      .coins = reinterpret_cast<const float*>(a.uniform_samples.address),
      .threshold_single = a.threshold_single,
      .threshold_acc = std::max(a.threshold_acc, 1e-9f),
      .rows = static_cast<Row*>(scratch.data()),
      .accept_len = reinterpret_cast<std::int32_t*>(a.accept_len.address),
      .bonus = reinterpret_cast<std::int64_t*>(a.bonus.address),
      .fault = a.fault.given ? reinterpret_cast<unsigned long long*>(a.fault.address) : nullptr};
  const Dtype dtype = a.next_token_logits.dtype;
  return dtype == kFloat32    ? launch_type<Float32>(a, v, scratch, chunk, stream)
         : dtype == kBfloat16 ? launch_type<Bfloat16>(a, v, scratch, chunk, stream)
                              : launch_type<Float16>(a, v, scratch, chunk, stream);
}

}  // namespace

Launched<Args> launch(const Accepted<Op>& call, Stream stream) {
  Launched<Args> result{{}, call.args()};
  Args& a = result.args;
  const Device device = a.candidates.device;
  const std::int64_t bs = a.candidates.shape[0];
  const door::DeviceGuard guard(device.index);
  OwnOutputs own(stream);
  result.status = own.provide(Op::kName, kInt32, device, {bs}, a.accept_len);
  if (result.status.ok()) result.status = own.provide(Op::kName, kInt64, device, {bs}, a.bonus);
  if (result.status.ok()) result.status = launch_verification(a, stream);
  if (result.status.ok()) own.hand_over();
  return result;
}

}  // namespace prelaunch::dflash_sampling
