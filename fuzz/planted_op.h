// A made-up op whose every part can be wrong in one chosen way: what the oracle must find.
//
//   out[0] = in[0], out[i] = in[i - 1], in a block of n threads that exchange through shared memory
//
// Only for tests: the parts read a global. Include it once in a program.
#pragma once

#include <fmt/format.h>

#include <cstring>

#include "kernels/common/check.h"
#include "kernels/common/host_tensor.h"
#include "kernels/common/launch.h"
#include "kernels/common/launched.h"
#include "kernels/common/outputs.h"
#include "kernels/common/predicates.h"

namespace prelaunch::planted {

enum class Bug : std::uint8_t {
  kNone,
  // In the contract.
  kAcceptsTooMuch,
  kRejectsTooMuch,
  kRejectsTooEarly,
  kLaunchesFromARule,
  kAllocatesFromARule,
  kCopiesFromARule,
  kSetsDeviceFromARule,
  kUnfinishedMessage,
  kEmptyMessage,
  kTwoLineMessage,
  kMessageOfNoArgument,
  // In the launch.
  kLaunchesNothing,
  kKeepsTheDevice,
  // In the kernel.
  kWrongElement,
  kSkipsElement,
  kChangesInput,
  kWritesBetweenElements,
  kReadsPastInput,
  kNoBarrier,
};
inline Bug g_bug = Bug::kNone;
inline bool has(Bug bug) { return g_bug == bug; }

constexpr std::int64_t kMaxThreads = 32;

struct Args {
  TensorView in;   // [n], u8, n of 1 to 32, on a CUDA device
  TensorView out;  // like in, with any stride of at least 1
};

struct Op {
  using Args = planted::Args;
  static constexpr std::string_view kName = "planted";
  static constexpr auto kFields = std::to_array<Field<Args>>({
      {"in", Role::kInput, &Args::in},
      {"out", Role::kOutput, &Args::out, kOptional},
  });
};

inline __global__ void noop() {}

// Work that no rule may do.
inline bool does_work(const Args&) {
  void* data = nullptr;
  char byte = 0;
  if (has(Bug::kLaunchesFromARule)) {
    static_cast<void>(
        door::launch<Op>(Args{}, cuda(door::current_device()), door::Grid{}, nullptr, noop));
  }
  if (has(Bug::kAllocatesFromARule)) {
    static_cast<void>(door::allocate(Op::kName, 0, nullptr, &data));
  }
  if (has(Bug::kCopiesFromARule)) {
    static_cast<void>(door::copy(&byte, &byte, 0, door::Direction::kDeviceToHost, nullptr));
  }
  if (has(Bug::kSetsDeviceFromARule)) door::set_current_device(door::current_device());
  return true;
}

}  // namespace prelaunch::planted

namespace prelaunch {

template <>
inline constexpr auto kRules<planted::Op> =
    contract<planted::Op>(std::to_array<Rule<planted::Args>>({
        {"in.works", kPolicy, "in must be looked at without work", &planted::does_work, "a bug"},
        {"in.unfinished", kPolicy, "in is {in.nonsense}",
         [](const planted::Args&) { return !planted::has(planted::Bug::kUnfinishedMessage); },
         "a bug"},
        {"in.empty", kPolicy, "",
         [](const planted::Args&) { return !planted::has(planted::Bug::kEmptyMessage); }, "a bug"},
        {"in.two_lines", kPolicy, "in must be\nso",
         [](const planted::Args&) { return !planted::has(planted::Bug::kTwoLineMessage); },
         "a bug"},
        {"group.nameless", kPolicy, "something must be so",
         [](const planted::Args&) { return !planted::has(planted::Bug::kMessageOfNoArgument); },
         "a bug"},
        {"in.early", kPolicy, "in must be u8 as well",
         [](const planted::Args& a) {
           return a.in.dtype == kUInt8 || !planted::has(planted::Bug::kRejectsTooEarly);
         },
         "a bug"},
        {"in.strict", kPolicy, "in must not have 3 elements, got shape={shape}",
         [](const planted::Args& a) {
           return a.in.elements != 3 || !planted::has(planted::Bug::kRejectsTooMuch);
         },
         "a bug"},
        {"in.cuda", kSafety, "in must be on a CUDA device, got {device}",
         [](const planted::Args& a) { return on_cuda(a.in); }},
        {"in.dtype", kSemantics, "in must be u8, got {dtype}",
         [](const planted::Args&
                a) { return a.in.dtype == kUInt8 || planted::has(planted::Bug::kAcceptsTooMuch); }},
        {"in.shape", kSafety, "in must be contiguous [n] with n up to 32, got shape={shape}",
         [](const planted::Args& a) {
           return a.in.rank == 1 && a.in.contiguous && a.in.elements <= planted::kMaxThreads;
         }},
        {"out.matches", kSafety, "out must be like in, got shape={shape}, device={device}",
         [](const planted::Args& a) {
           return !a.out.given || (same_shape(a.in, a.out) && same_device_dtype(a.in, a.out));
         }},
        {"out.no_overlap", kSemantics, "out must not overlap in or itself",
         [](const planted::Args& a) {
           return disjoint(a.in, a.out) && self_overlap(a.out) == Overlap::kDisjoint;
         }},
    }));

namespace planted {

struct Exchange {
  std::uint8_t values[kMaxThreads];
};

// Without the barrier it is right in the natural order of threads, and only there.
inline __global__ void shift(std::uint8_t* in, std::uint8_t* out, std::int64_t stride) {
  auto& values = shared<Exchange>().values;
  const unsigned i = threadIdx.x, n = blockDim.x, from = i > 0 ? i - 1 : 0;
  values[i] = in[has(Bug::kReadsPastInput) ? i + 1 : i];
  if (!has(Bug::kNoBarrier)) __syncthreads();
  std::uint8_t value = values[from];
  if (has(Bug::kWrongElement) && i == n / 2) value = static_cast<std::uint8_t>(value + 1);
  if (has(Bug::kSkipsElement) && i == n - 1) return;
  if (has(Bug::kChangesInput) && i == 0) in[0] = static_cast<std::uint8_t>(in[0] + 1);
  out[i * stride] = value;
  if (has(Bug::kWritesBetweenElements) && i == 0) out[1] = static_cast<std::uint8_t>(out[1] + 1);
}

inline Launched<Args> launch(const Accepted<Op>& call, Stream stream) {
  Launched<Args> result{{}, call.args()};
  Args& a = result.args;
  const std::int32_t device = a.in.device.index;
  const std::int32_t previous = door::current_device();
  door::set_current_device(device);
  if (!a.out.given) {
    result.status = allocate_output(Op::kName, kUInt8, a.in.device, {a.in.elements}, stream, a.out);
  }
  if (result.status.ok() && a.in.elements > 0 && !has(Bug::kLaunchesNothing)) {
    const door::Grid grid{.blocks = {}, .threads = dim3(static_cast<unsigned>(a.in.elements))};
    result.status = door::launch<Op>(
        a, a.in.device, grid, stream, shift, reinterpret_cast<std::uint8_t*>(a.in.address),
        reinterpret_cast<std::uint8_t*>(a.out.address), a.out.strides[0]);
    if (!result.status.ok() && !call.args().out.given) {
      static_cast<void>(door::release(reinterpret_cast<void*>(a.out.address), stream));
    }
  }
  if (!has(Bug::kKeepsTheDevice)) door::set_current_device(previous);
  return result;
}

inline std::optional<std::string> verify(const Args& before, const Args& after) {
  const std::int64_t n = before.in.elements;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t from = i > 0 ? i - 1 : 0;
    if (*element(after.out, {i}) == *element(before.in, {from})) continue;
    return fmt::format("out[{}] is not in[{}]", i, from);
  }
  return std::nullopt;
}

}  // namespace planted
}  // namespace prelaunch
