// What the emulator's tests share: a small op, and buffers of device memory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "kernels/common/launch.h"
#include "kernels/emulator/sanitizer.h"

// For tests of what only AddressSanitizer sees.
#define PRELAUNCH_NEEDS_ASAN() \
  if (!emulator::kPoisons) GTEST_SKIP() << "this tree is built without AddressSanitizer"

namespace prelaunch::emulator {

// ASan's report of poisoned memory; unknown-crash is what it calls the end of a half-open granule.
inline constexpr const char* kPoisoned = "AddressSanitizer: (use-after-poison|unknown-crash)";

// An op that promises nothing: the kernels are the tests'.
struct TestOp {
  struct Args {
    TensorView in, out;
  };
  static constexpr std::string_view kName = "test_op";
  static constexpr auto kFields = std::to_array<Field<Args>>({
      {"in", Role::kInput, &Args::in, kOptional},
      {"out", Role::kOutput, &Args::out, kOptional},
  });
};

template <class T>
constexpr Dtype kDtypeOf{DtypeCode::kUInt, sizeof(T) * 8, 1};

// Owns `count` elements on a device.
template <class T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t count, Device device = cuda(0))
      : count_(count),
        device_(device),
        data_(static_cast<T*>(allocate(device, count * sizeof(T)))) {}
  ~DeviceBuffer() { release(data_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  T* data() const { return data_; }
  TensorView view() const { return view({static_cast<std::int64_t>(count_)}, {1}); }
  TensorView view(std::initializer_list<std::int64_t> shape,
                  std::initializer_list<std::int64_t> strides) const {
    return TensorView::from({.data = reinterpret_cast<std::uintptr_t>(data_),
                             .byte_offset = 0,
                             .device = device_,
                             .dtype = kDtypeOf<T>,
                             .rank = static_cast<std::int32_t>(shape.size()),
                             .shape = shape.begin(),
                             .strides = strides.begin()},
                            {kDevices});
  }
  void write(const std::vector<T>& values) {
    const HostAccess access(data_, count_ * sizeof(T));
    std::copy(values.begin(), values.end(), data_);
  }
  std::vector<T> read() const {
    const HostAccess access(data_, count_ * sizeof(T));
    return std::vector<T>(data_, data_ + count_);
  }

 private:
  std::size_t count_;
  Device device_;
  T* data_;
};

// Launches on device 0, and expects that to succeed.
template <class... Parameter, class... Argument>
void launch_ok(const TestOp::Args& args, const door::Grid& grid, void (*kernel)(Parameter...),
               Argument... argument) {
  const Status status = door::launch<TestOp>(args, cuda(0), grid, nullptr, kernel, argument...);
  EXPECT_TRUE(status.ok()) << status.message();
}

// Runs `test` under some orders, among them both of two pairs.
template <class Test>
void under_orders(Test test) {
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u, 77u}) {
    SCOPED_TRACE(seed);
    set_order(seed);
    test();
  }
  set_order(0);
}

}  // namespace prelaunch::emulator
