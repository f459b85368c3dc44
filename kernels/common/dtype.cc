#include "kernels/common/dtype.h"

#include <array>

namespace prelaunch {
namespace {

struct Name {
  Dtype dtype;
  std::string_view short_name, torch_name;
};

constexpr auto kNames = std::to_array<Name>({
    {kFloat32, "f32", "torch.float32"},
    {kFloat16, "f16", "torch.float16"},
    {kBfloat16, "bf16", "torch.bfloat16"},
    {kFloat64, "f64", "torch.float64"},
    {kInt32, "i32", "torch.int32"},
    {kInt64, "i64", "torch.int64"},
    {{DtypeCode::kInt, 16, 1}, "i16", "torch.int16"},
    {{DtypeCode::kInt, 8, 1}, "i8", "torch.int8"},
    {kUInt8, "u8", "torch.uint8"},
    {{DtypeCode::kUInt, 16, 1}, "u16", "torch.uint16"},
    {{DtypeCode::kUInt, 32, 1}, "u32", "torch.uint32"},
    {kUInt64, "u64", "torch.uint64"},
    {{DtypeCode::kBool, 8, 1}, "bool", "torch.bool"},
    {{DtypeCode::kComplex, 32, 1}, "c32", "torch.complex32"},
    {{DtypeCode::kComplex, 64, 1}, "c64", "torch.complex64"},
    {{DtypeCode::kComplex, 128, 1}, "c128", "torch.complex128"},
    {{DtypeCode::kFloat8E4m3fn, 8, 1}, "f8e4m3fn", "torch.float8_e4m3fn"},
    {{DtypeCode::kFloat8E5m2, 8, 1}, "f8e5m2", "torch.float8_e5m2"},
});

}  // namespace

std::string to_string(Dtype dtype) {
  for (const Name& name : kNames) {
    if (name.dtype == dtype) return std::string(name.torch_name);
  }
  return "dlpack(code=" + std::to_string(static_cast<int>(dtype.code)) +
         ", bits=" + std::to_string(dtype.bits) + ", lanes=" + std::to_string(dtype.lanes) + ")";
}

bool dtype_from_short_name(std::string_view text, Dtype& dtype) {
  for (const Name& name : kNames) {
    if (name.short_name != text) continue;
    dtype = name.dtype;
    return true;
  }
  return false;
}

std::string_view short_name(Dtype dtype) {
  for (const Name& name : kNames) {
    if (name.dtype == dtype) return name.short_name;
  }
  return {};
}

}  // namespace prelaunch
