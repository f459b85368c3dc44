// Kernel benchmarks of any op. An op's <op>_bench.cu says which of its cases are worth timing and
// how many bytes each must move; the rest follows from its field list and cases.
//
// A time is the device's own, of a batch of launches one after the other, over inputs that rotate
// through more memory than the L2 cache holds. (No fmt here: nvcc does not compile it.)
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <optional>

#include "bench/device_arena.h"
#include "bench/device_timer.h"
#include "bench/entry.h"
#include "bench/progress.h"
#include "kernels/common/call.h"
#include "kernels/common/contents.h"
#include "kernels/common/contract.h"
#include "kernels/common/launched.h"

namespace prelaunch::bench {

inline std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

// Bytes of all of a call's buffers when they are placed one after the other.
template <class Op>
std::int64_t footprint(const Call& call) {
  const Placement at = place_buffers(call, tensor_fields<Op>(), kArenaAlignment);
  return static_cast<std::int64_t>(at.base[kMaxBuffers - 1]) + at.size[kMaxBuffers - 1] +
         kArenaAlignment;
}

template <class Op>
typename Op::Args place(const Call& call, std::uintptr_t start) {
  return bind<Op>(call, place_buffers(call, tensor_fields<Op>(), start), door::device_count());
}

// An absent output is allocated by the launch: that is the allocator's time, not the kernel's.
template <class Op>
bool brings_its_outputs(const typename Op::Args& args) {
  bool all = true;
  for_each_tensor<Op>(args, [&](const auto& field, const TensorView& view) {
    if (field.role == Role::kOutput) all = all && view.given;
  });
  return all;
}

// Memory of the host for a call's buffers.
class HostCopy {
 public:
  explicit HostCopy(std::vector<std::byte> memory) : memory_(std::move(memory)) {}

  std::uintptr_t start() {
    const auto at = reinterpret_cast<std::uintptr_t>(memory_.data());
    return (at + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
  }
  void* data() { return reinterpret_cast<void*>(start()); }

 private:
  std::vector<std::byte> memory_;
};

// What the call's tensors hold.
template <class Op>
HostCopy contents_of(const Call& call) {
  HostCopy contents(random_bytes(static_cast<std::size_t>(footprint<Op>(call) + kArenaAlignment)));
  fill_contents<Op>(call, place<Op>(call, contents.start()), call.fill);
  return contents;
}

// One launch on what the call's tensors hold, compared with the op's reference.
template <class Op, auto kVerify>
std::optional<std::string> wrong_result(const Call& call) {
  const std::int64_t bytes = footprint<Op>(call);
  DeviceArena& arena = device_arena();
  if (Status status = arena.reserve(bytes); !status.ok()) return status.message();
  HostCopy before = contents_of<Op>(call);
  HostCopy after(std::vector<std::byte>(static_cast<std::size_t>(bytes + kArenaAlignment)));
  void* const device = reinterpret_cast<void*>(arena.start());
  Status status = door::copy(device, before.data(), bytes, door::Direction::kHostToDevice, nullptr);
  if (!status.ok()) return status.message();
  const typename Op::Args args = place<Op>(call, arena.start());
  const Check<Op> checked = check<Op>(args);
  if (!checked) return "a case of the op was rejected";
  if (auto launched = launch(checked.accepted(), nullptr); !launched.status.ok()) {
    return launched.status.message();
  }
  status = door::copy(after.data(), device, bytes, door::Direction::kDeviceToHost, nullptr);
  if (status.ok()) status = door::synchronize(nullptr);
  if (!status.ok()) return status.message();
  return kVerify(place<Op>(call, before.start()), place<Op>(call, after.start()));
}

template <class Op, class Cases, auto kVerify>
std::optional<std::string> first_wrong_result() {
  constexpr std::int64_t kSmall = std::int64_t{1} << 20;
  if (door::device_count().cuda == 0) return std::nullopt;
  for (const auto& of : Cases::kCases) {
    const Call call = Cases::make_call(of);
    if (footprint<Op>(call) > kSmall || !brings_its_outputs<Op>(place<Op>(call, kArenaAlignment)))
      continue;
    if (const auto wrong = wrong_result<Op, kVerify>(call)) {
      return joined({Op::kName, ": case ", of.name, ": ", *wrong});
    }
  }
  return std::nullopt;
}

// Launches of one call at several places of the arena, in turn.
template <class Op>
class RotatingCall {
 public:
  static constexpr std::size_t kBatch = 16;

  // `contents`, where there are any, are copied to each place.
  Status place_in(DeviceArena& arena, const Call& call, HostCopy* contents) {
    const std::int64_t bytes = footprint<Op>(call);
    const auto l2_bytes = gpu_info().value_or(GpuInfo{}).l2_bytes;
    const std::int64_t places = std::clamp<std::int64_t>(4 * l2_bytes / bytes, 1, kBatch);
    if (Status status = arena.reserve(bytes * places); !status.ok()) return status;
    for (std::int64_t i = 0; i < places; ++i) {
      const auto offset =
          static_cast<std::uintptr_t>(i * bytes / kArenaAlignment * kArenaAlignment);
      args_.push_back(place<Op>(call, arena.start() + offset));
      if (contents == nullptr) continue;
      Status status = door::copy(reinterpret_cast<void*>(arena.start() + offset), contents->data(),
                                 bytes, door::Direction::kHostToDevice, nullptr);
      if (!status.ok()) return status;
    }
    return door::synchronize(nullptr);
  }

  // Seconds of kBatch launches.
  std::optional<double> time_batch(DeviceTimer& timer) {
    timer.start(nullptr);
    for (std::size_t i = 0; i < kBatch; ++i) {
      const Check<Op> checked = check<Op>(args_[i % args_.size()]);
      if (!checked || !launch(checked.accepted(), nullptr).status.ok()) return std::nullopt;
    }
    return timer.stop(nullptr);
  }

 private:
  std::vector<typename Op::Args> args_;
};

// `contents` are made by the first of the benchmark's repetitions; random bytes are there already.
template <class Op>
void time_kernel(benchmark::State& state, const Call& call, std::int64_t bytes,
                 std::optional<HostCopy>& contents) {
  progress_tick();
  if (has_contents<Op>(call) && !contents) contents = contents_of<Op>(call);
  RotatingCall<Op> rotating;
  const Status status = rotating.place_in(device_arena(), call, contents ? &*contents : nullptr);
  if (!status.ok()) {
    state.SkipWithError(status.message().c_str());
    return;
  }
  const door::DeviceGuard guard(0);
  DeviceTimer timer;
  static_cast<void>(rotating.time_batch(timer));  // the first launch loads the kernel
  while (state.KeepRunningBatch(RotatingCall<Op>::kBatch)) {
    const auto seconds = rotating.time_batch(timer);
    if (!seconds) {
      state.SkipWithError("the launch or its timing failed");
      break;
    }
    state.SetIterationTime(*seconds);
  }
  state.SetBytesProcessed(bytes * state.iterations());
}

// Below this a launch is timed more than the kernel is.
inline constexpr std::int64_t kWorthTiming = std::int64_t{64} << 20;

template <class Op, class Cases, auto kBytesMoved>
void add_kernels(std::vector<Entry>& entries) {
  for (const auto& of : Cases::kCases) {
    const std::int64_t bytes = kBytesMoved(of);
    const Call call = Cases::make_call(of);
    if (bytes < kWorthTiming || !brings_its_outputs<Op>(place<Op>(call, kArenaAlignment))) continue;
    entries.push_back(
        {Op::kName, joined({"kernel/", Op::kName, "/", of.name}), Night::kEvery, Clock::kDevice,
         [call, bytes, contents = std::make_shared<std::optional<HostCopy>>()](
             benchmark::State& state) { time_kernel<Op>(state, call, bytes, *contents); }});
  }
}

// kBytesMoved: std::int64_t (const Case&), what the definition makes a kernel read and write.
// kVerify: the op's `verify`.
template <class Op, class Cases, auto kBytesMoved, auto kVerify>
bool register_kernels() {
  kernel_suites().push_back(
      {Op::kName, add_kernels<Op, Cases, kBytesMoved>, first_wrong_result<Op, Cases, kVerify>});
  return true;
}

}  // namespace prelaunch::bench
