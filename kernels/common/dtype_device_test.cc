// Names of dtypes and devices, both ways.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "kernels/common/device.h"
#include "kernels/common/dtype.h"

namespace prelaunch {
namespace {

TEST(Dtype, NamesArePyTorchs) {
  EXPECT_EQ(to_string(kBfloat16), "torch.bfloat16");
  EXPECT_EQ(to_string(kFloat16), "torch.float16");
  EXPECT_EQ(to_string(kFloat32), "torch.float32");
  EXPECT_EQ(to_string(kFloat64), "torch.float64");
  EXPECT_EQ(to_string(kInt32), "torch.int32");
  EXPECT_EQ(to_string(kInt64), "torch.int64");
  EXPECT_EQ(to_string(kUInt8), "torch.uint8");
  EXPECT_EQ(to_string(kUInt64), "torch.uint64");
  EXPECT_EQ(to_string({DtypeCode::kBool, 8, 1}), "torch.bool");
  EXPECT_EQ(to_string({DtypeCode::kFloat8E4m3fn, 8, 1}), "torch.float8_e4m3fn");
}

TEST(Dtype, ANamelessDtypeIsSpelledOut) {
  EXPECT_EQ(to_string({static_cast<DtypeCode>(77), 4, 0}), "dlpack(code=77, bits=4, lanes=0)");
  EXPECT_EQ(to_string({DtypeCode::kFloat, 32, 65535}), "dlpack(code=2, bits=32, lanes=65535)");
  EXPECT_EQ(short_name({DtypeCode::kFloat, 32, 2}), "");
}

// Every code, width and a few lanes: 2^16 descriptors and more.
TEST(Dtype, AShortNameLeadsBackToItsDtypeAlone) {
  std::set<std::string_view> names;
  for (int code = 0; code < 256; ++code) {
    for (int bits = 0; bits < 256; ++bits) {
      for (const int lanes : {0, 1, 2}) {
        const Dtype dtype{static_cast<DtypeCode>(code), static_cast<std::uint8_t>(bits),
                          static_cast<std::uint16_t>(lanes)};
        const std::string_view name = short_name(dtype);
        EXPECT_EQ(name.empty(), to_string(dtype).starts_with("dlpack("));
        if (name.empty()) continue;
        Dtype back;
        EXPECT_TRUE(dtype_from_short_name(name, back));
        EXPECT_EQ(back, dtype);
        EXPECT_TRUE(accepted_width(dtype));
        EXPECT_TRUE(names.insert(name).second) << name;
      }
    }
  }
  EXPECT_EQ(names.size(), 18u);
}

TEST(Dtype, AnUnknownShortNameLeavesTheDtypeAlone) {
  for (const char* name : {"", "f", "f33", "F32", " f32", "f32 ", "torch.float32"}) {
    Dtype dtype = kInt64;
    EXPECT_FALSE(dtype_from_short_name(name, dtype)) << name;
    EXPECT_EQ(dtype, kInt64);
  }
}

TEST(Dtype, AnElementHasBitsOver8Bytes) {
  static_assert(kUInt8.bytes() == 1 && kBfloat16.bytes() == 2 && kFloat64.bytes() == 8);
  static_assert(Dtype{DtypeCode::kComplex, 128, 1}.bytes() == 16);
  static_assert(kFloat16 != kBfloat16);
}

TEST(Device, NamesHaveTheirIndexExceptTheCpu) {
  EXPECT_EQ(to_string(cuda(0)), "cuda:0");
  EXPECT_EQ(to_string(cuda(-1)), "cuda:-1");
  EXPECT_EQ(to_string(kCpuDevice), "cpu");
  EXPECT_EQ(to_string({DeviceType::kCpu, 1}), "cpu:1");
  EXPECT_EQ(to_string({DeviceType::kCudaHost, 0}), "cuda_host:0");
  EXPECT_EQ(to_string({DeviceType::kCudaManaged, 2}), "cuda_managed:2");
  EXPECT_EQ(to_string({DeviceType::kRocm, 1}), "rocm:1");
  EXPECT_EQ(to_string({static_cast<DeviceType>(77), 0}), "device(type=77, index=0)");
  EXPECT_EQ(to_string({static_cast<DeviceType>(-1), -2}), "device(type=-1, index=-2)");
}

TEST(Device, ANameLeadsBackToItsDevice) {
  using Limits = std::numeric_limits<std::int32_t>;
  for (const DeviceType type : {DeviceType::kCpu, DeviceType::kCuda, DeviceType::kCudaHost,
                                DeviceType::kRocm, DeviceType::kCudaManaged}) {
    for (const std::int32_t index : {0, 1, -1, Limits::max(), Limits::min()}) {
      const Device device{type, index};
      Device back{DeviceType::kRocm, 99};
      EXPECT_TRUE(device_from_string(to_string(device), back)) << to_string(device);
      EXPECT_EQ(back, device);
    }
  }
}

TEST(Device, AnythingElseIsNoDeviceAndLeavesItAlone) {
  for (const char* text : {"", ":", ":0", "cuda", "cuda:", "cuda:x", "cuda:1x", "cuda: 1", "CUDA:0",
                           "cuda:2147483648", "cuda:+1", "cuda:0:0", "gpu:0", "cpu:", "cpu "}) {
    Device device = cuda(7);
    EXPECT_FALSE(device_from_string(text, device)) << text;
    EXPECT_EQ(device, cuda(7)) << text;
  }
}

TEST(Device, OnlyCudaDevicesAreCounted) {
  constexpr DeviceCount two{.cuda = 2};
  static_assert(exists(cuda(0), two) && exists(cuda(1), two) && !exists(cuda(2), two));
  static_assert(!exists(cuda(0), {}) && !exists(cuda(-1), two));
  static_assert(exists({DeviceType::kCudaHost, 5}, two) && exists(kCpuDevice, {}));
  static_assert(!exists({DeviceType::kCpu, -1}, two));
}

TEST(Device, OnlyCudaMemoryIsCuda) {
  static_assert(is_cuda(cuda(0)));
  for (const std::int32_t type : {0, 1, 3, 10, 13, 77, -2}) {
    EXPECT_FALSE(is_cuda({static_cast<DeviceType>(type), 0})) << type;
  }
}

}  // namespace
}  // namespace prelaunch
