// The cases of ulysses_pack: the real shapes and small odd ones, the builder of valid calls, and
// the edits that make a valid call break one rule. Tests, seeds, fuzzers and benchmarks all take
// them here.
#pragma once

#include <array>
#include <string_view>

#include "kernels/common/call.h"
#include "kernels/common/choices.h"
#include "kernels/common/violation.h"
#include "kernels/ulysses_pack/ulysses_pack.h"

namespace prelaunch::ulysses_pack {

enum class Layout : std::uint8_t {
  kContiguous,
  kFused,       // slices of one [rows, 3, heads, head_size] projection
  kHeadsMajor,  // permuted from [heads, rows, head_size]
  kPadded,      // room after each head and each row
  kBroadcast,   // one row for all: stride 0
  kShifted,     // contiguous, but one element off the buffer's start: no 16-byte alignment
};

enum class Out : std::uint8_t { kGiven, kAbsent };

struct Case {
  std::string_view name;
  std::int64_t rows, heads, head_size, world_size;
  Dtype dtype = kBfloat16;
  Layout layout = Layout::kContiguous;
  Out out = Out::kGiven;
};

inline constexpr auto kCases = std::to_array<Case>({
    // Real shapes: video and image diffusion.
    {"4096x24x128_w4", 4096, 24, 128, 4},
    {"4096x24x128_w4_fused", 4096, 24, 128, 4, kBfloat16, Layout::kFused},
    {"32768x24x128_w8", 32768, 24, 128, 8},
    {"32768x24x128_w8_fused", 32768, 24, 128, 8, kBfloat16, Layout::kFused},
    {"118806x40x128_w8", 118806, 40, 128, 8},
    {"118806x40x128_w8_fused", 118806, 40, 128, 8, kBfloat16, Layout::kFused},
    {"8192x64x64_w8", 8192, 64, 64, 8},
    {"4096x24x80_w2", 4096, 24, 80, 2},
    {"4096x24x96_w2_fused", 4096, 24, 96, 2, kBfloat16, Layout::kFused},
    // Small ones, each for a path: units of 16 to 1 bytes, layouts, empty and single dimensions.
    {"small_vector", 3, 8, 16, 4},
    {"small_fused", 5, 6, 24, 3, kBfloat16, Layout::kFused},
    {"small_heads_major", 4, 4, 8, 2, kFloat16, Layout::kHeadsMajor},
    {"small_padded", 3, 4, 8, 4, kFloat32, Layout::kPadded},
    {"small_broadcast", 6, 2, 8, 2, kBfloat16, Layout::kBroadcast},
    {"small_shifted", 2, 4, 16, 2, kBfloat16, Layout::kShifted},
    {"odd_bytes", 3, 3, 5, 3, kUInt8, Layout::kPadded},
    {"eight_byte_units", 2, 2, 3, 1, kFloat64},
    {"four_byte_units", 2, 6, 10, 2, kBfloat16},
    {"head_size_1", 4, 4, 1, 2},
    {"one_row", 1, 8, 8, 8},
    {"no_rows", 0, 8, 16, 2},
    {"no_heads", 2, 0, 16, 2},
    {"no_head_size", 2, 4, 0, 2},
    {"out_absent", 3, 4, 8, 2, kBfloat16, Layout::kContiguous, Out::kAbsent},
    {"out_absent_no_rows", 0, 4, 8, 2, kBfloat16, Layout::kContiguous, Out::kAbsent},
    {"out_absent_no_heads", 2, 0, 8, 2, kBfloat16, Layout::kContiguous, Out::kAbsent},
    {"wide_index", 16, 8, 32, 2, kBfloat16, Layout::kFused},
});

inline constexpr std::size_t kQ = field_index<Op>("q"), kK = field_index<Op>("k"),
                             kV = field_index<Op>("v"), kWorldSize = field_index<Op>("world_size"),
                             kOut = field_index<Op>("out");

// One of q, k, v (c = 0, 1, 2) in a case's layout.
inline TensorSpec source_spec(const Case& of, std::uint8_t c) {
  TensorSpec t = compact(of.dtype, cuda(0), c, {of.rows, of.heads, of.head_size});
  const std::int64_t head = of.head_size, row = of.heads * of.head_size;
  switch (of.layout) {
    case Layout::kContiguous:
      break;
    case Layout::kFused:
      t.buffer = 0;
      t.offset = static_cast<std::uint64_t>(c * row * of.dtype.bytes());
      t.strides[0] = 3 * row;
      break;
    case Layout::kHeadsMajor:
      t.strides[0] = head;
      t.strides[1] = of.rows * head;
      break;
    case Layout::kPadded:
      t.strides[1] = head + 3;
      t.strides[0] = of.heads * (head + 3) + 1;
      break;
    case Layout::kBroadcast:
      t.strides[0] = 0;
      break;
    case Layout::kShifted:
      t.offset = static_cast<std::uint64_t>(of.dtype.bytes());
      break;
  }
  return t;
}

// A valid call.
inline Call make_call(const Case& of) {
  Call call;
  call.values[kQ].tensor = source_spec(of, 0);
  call.values[kK].tensor = source_spec(of, 1);
  call.values[kV].tensor = source_spec(of, 2);
  call.values[kWorldSize].integer = of.world_size;
  call.values[kOut].absent = of.out == Out::kAbsent;
  call.values[kOut].tensor =
      compact(of.dtype, cuda(0), kOut,
              {of.world_size, of.rows, of.heads / of.world_size, 3 * of.head_size});
  return call;
}

// A random small case. Every draw is valid.
inline Case draw_case(Choices& choose) {
  static constexpr Dtype kDtypes[] = {kBfloat16, kFloat16, kFloat32, kFloat64, kUInt8, kInt64};
  static constexpr std::int64_t kHeadSizes[] = {1, 2, 3, 8, 16, 20, 32};
  static constexpr Layout kLayouts[] = {Layout::kContiguous, Layout::kFused,
                                        Layout::kHeadsMajor, Layout::kPadded,
                                        Layout::kBroadcast,  Layout::kShifted};
  const std::int64_t world_size = choose.between(1, 4);
  return {.name = "drawn",
          .rows = choose.between(0, 5),
          .heads = world_size * choose.between(0, 3),
          .head_size = choose.one_in(16) ? 0 : choose.of(kHeadSizes),
          .world_size = world_size,
          .dtype = choose.of(kDtypes),
          .layout = choose.of(kLayouts),
          .out = choose.one_in(4) ? Out::kAbsent : Out::kGiven};
}

// For each rule of the op's own: one edit of one field that breaks it, and none before it. Returns
// false, with the call untouched, where the edit does not apply.
inline constexpr auto kViolations = std::to_array<Violation>({
    {"qkv.same_shape",
     [](Call& c, Choices& choose) {
       c.values[choose.of({kQ, kK, kV})].tensor.shape[static_cast<std::size_t>(choose.below(2))] +=
           1;
       return true;
     }},
    {"qkv.same_shape", [](Call& c, Choices&) { return drop_last_dim(c.values[kV].tensor); }},
    {"qkv.cuda",
     [](Call& c, Choices& choose) {
       c.values[choose.of({kQ, kK, kV})].tensor.device.type =
           choose.of({DeviceType::kCpu, DeviceType::kCudaHost, DeviceType::kCudaManaged,
                      DeviceType::kRocm, static_cast<DeviceType>(77)});
       return true;
     }},
    {"qkv.same_device_dtype",
     [](Call& c, Choices& choose) {
       c.values[choose.of({kK, kV})].tensor.device.index ^= 1;
       return true;
     }},
    {"qkv.same_device_dtype",
     [](Call& c, Choices& choose) {
       return other_dtype(c.values[choose.of({kK, kV})].tensor, choose);
     }},
    {"qkv.inner_contiguous",
     [](Call& c, Choices& choose) {
       TensorSpec& t = c.values[choose.of({kQ, kK, kV})].tensor;
       return change_inner_stride(t, choose.of({0, 2, 3}));
     }},
    {"world_size.divides_heads",
     [](Call& c, Choices& choose) {
       const std::int64_t heads = c.values[kQ].tensor.shape[1];
       c.values[kWorldSize].integer = choose.of({std::int64_t{0}, std::int64_t{-1}, INT64_MIN});
       if (heads > 0 && choose.one_in(2)) c.values[kWorldSize].integer = heads + 1;
       return true;
     }},
    {"out.matches",
     [](Call& c, Choices& choose) {
       if (c.values[kOut].absent) return false;
       c.values[kOut].tensor.shape[static_cast<std::size_t>(choose.below(4))] += 1;
       return true;
     }},
    {"out.matches",
     [](Call& c, Choices&) {
       TensorSpec& t = c.values[kOut].tensor;
       if (c.values[kOut].absent || t.null_strides || t.shape[1] <= 1 || is_empty(t)) {
         return false;
       }
       t.strides[1] += 1;
       return true;
     }},
    {"out.matches",
     [](Call& c, Choices& choose) {
       if (c.values[kOut].absent) return false;
       Device& device = c.values[kOut].tensor.device;
       device = choose.of({cuda(device.index ^ 1), kCpuDevice});
       return true;
     }},
    {"out.matches",
     [](Call& c, Choices& choose) {
       return !c.values[kOut].absent && other_dtype(c.values[kOut].tensor, choose);
     }},
    {"out.matches",
     [](Call& c, Choices&) {
       return !c.values[kOut].absent && drop_last_dim(c.values[kOut].tensor);
     }},
    {"out.no_overlap",
     [](Call& c, Choices& choose) {
       const TensorSpec& source = c.values[choose.of({kQ, kK, kV})].tensor;
       TensorSpec& out = c.values[kOut].tensor;
       if (c.values[kOut].absent || is_empty(out)) return false;
       out.buffer = source.buffer;
       out.offset = source.offset;
       return true;
     }},
    {"qkv.dtype",
     [](Call& c, Choices&) {
       // All three, which must agree.
       if (!c.values[kOut].absent) return false;
       for (const std::size_t i : {kQ, kK, kV}) {
         if (c.values[i].tensor.offset != 0) return false;
         c.values[i].tensor.dtype = {DtypeCode::kComplex, 128, 1};
       }
       return true;
     }},
    {"out.size",
     [](Call& c, Choices&) {
       // No head is divided by any number.
       if (!c.values[kOut].absent || c.values[kQ].tensor.shape[1] != 0) return false;
       c.values[kWorldSize].integer = std::int64_t{1} << 62;
       return true;
     }},
    {"out.size",
     [](Call& c, Choices&) {
       // Every element of q, k and v is the same one, so they need two bytes of memory.
       c = make_call({"", std::int64_t{1} << 41, 1 << 10, 1 << 10, 2, kBfloat16,
                      Layout::kContiguous, Out::kAbsent});
       for (const std::size_t i : {kQ, kK, kV}) {
         c.values[i].tensor.strides = {0, 0, 1};
       }
       return true;
     }},
});

// What generic code takes from this file.
struct Cases {
  static constexpr const auto& kCases = ulysses_pack::kCases;
  static constexpr const auto& kViolations = ulysses_pack::kViolations;
  static Call make_call(const Case& of) { return ulysses_pack::make_call(of); }
  static Case draw_case(Choices& choose) { return ulysses_pack::draw_case(choose); }
};

}  // namespace prelaunch::ulysses_pack
