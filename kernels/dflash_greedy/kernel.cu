// One warp a request: its lanes compare 32 drafts at a time, and the first that differs ends it.
// The work is a few hundred bytes a request: latency is all there is, so a warp loads both rows at
// once and nothing waits for another block.
#include <algorithm>

#include "kernels/common/launch.h"
#include "kernels/common/load_index.h"
#include "kernels/common/outputs.h"
#include "kernels/dflash_greedy/dflash_greedy.h"

namespace prelaunch::dflash_greedy {
namespace {

constexpr unsigned kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

struct Verification {
  IndexSource candidates, target;
  std::int64_t candidates_row, candidates_column, target_row, target_column;
  std::int64_t bs, n;
  std::int32_t* accept_len;
  std::int64_t* bonus;
};

__global__ void verify_kernel(const Verification v) {
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * (blockDim.x / kWarp);
  const std::int64_t first =
      static_cast<std::int64_t>(blockIdx.x) * (blockDim.x / kWarp) + threadIdx.x / kWarp;
  const unsigned lane = threadIdx.x % kWarp;
  for (std::int64_t b = first; b < v.bs; b += warps) {
    std::int64_t accepted = v.n - 1;
    for (std::int64_t base = 1; base < v.n; base += kWarp) {
      const std::int64_t j = base + lane;
      const bool differs =
          j < v.n && v.candidates[b * v.candidates_row + j * v.candidates_column] !=
                         v.target[b * v.target_row + (j - 1) * v.target_column];
      const unsigned votes = __ballot_sync(kAllLanes, differs);
      if (votes == 0) continue;
      accepted = base + __ffs(static_cast<int>(votes)) - 2;
      break;
    }
    if (lane != 0) continue;
    v.accept_len[b] = static_cast<std::int32_t>(accepted);
    v.bonus[b] = v.target[b * v.target_row + accepted * v.target_column];
  }
}

Status launch_verification(const Args& a, Stream stream) {
  const Verification v{.candidates = index_source(a.candidates),
                       .target = index_source(a.target_predict),
                       .candidates_row = stride_of(a.candidates, 0),
                       .candidates_column = stride_of(a.candidates, 1),
                       .target_row = stride_of(a.target_predict, 0),
                       .target_column = stride_of(a.target_predict, 1),
                       .bs = a.candidates.shape[0],
                       .n = a.candidates.shape[1],
                       .accept_len = reinterpret_cast<std::int32_t*>(a.accept_len.address),
                       .bonus = reinterpret_cast<std::int64_t*>(a.bonus.address)};
  constexpr std::int64_t kWarps = door::threads(128) / kWarp;
  constexpr std::int64_t kMaxBlocks = (std::int64_t{1} << 31) - 1;
  const std::int64_t blocks = std::clamp((v.bs + kWarps - 1) / kWarps, std::int64_t{1}, kMaxBlocks);
  const door::Grid grid{.blocks = dim3(static_cast<unsigned>(blocks)),
                        .threads = dim3(door::threads(128))};
  return door::launch<Op>(a, a.candidates.device, grid, stream, verify_kernel, v);
}

}  // namespace

Launched<Args> launch(const Accepted<Op>& call, Stream stream) {
  Launched<Args> result{{}, call.args()};
  Args& a = result.args;
  const door::DeviceGuard guard(a.candidates.device.index);
  OwnOutputs own(stream);
  result.status =
      own.provide(Op::kName, kInt32, a.candidates.device, {a.candidates.shape[0]}, a.accept_len);
  if (result.status.ok()) {
    result.status =
        own.provide(Op::kName, kInt64, a.candidates.device, {a.candidates.shape[0]}, a.bonus);
  }
  if (result.status.ok()) result.status = launch_verification(a, stream);
  if (result.status.ok()) own.hand_over();
  return result;
}

}  // namespace prelaunch::dflash_greedy
