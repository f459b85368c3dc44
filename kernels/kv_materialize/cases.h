// The cases of kv_materialize; see kernels/ulysses_pack/cases.h for what each part is for.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "kernels/common/call.h"
#include "kernels/common/choices.h"
#include "kernels/common/violation.h"
#include "kernels/kv_materialize/kv_materialize.h"

namespace prelaunch::kv_materialize {

// Of the inputs.
enum class Layout : std::uint8_t {
  kContiguous,
  kLayersMajor,  // kv permuted from [n_layers, total_ctx, ..]
  kSliced,       // kv, weights and angles are columns of wider tables, vectors still aligned
  kPadded,       // room of an odd number of elements after each row: no vector is aligned
  kBroadcast,    // one row of kv, of weights and of angles for all: stride 0
  kShifted,      // contiguous, but one element off the buffer's start: no vector is aligned
};

enum class Out : std::uint8_t {
  kGiven,
  kPool,        // k_out and v_out are the halves of one KV pool [n_layers, total_ctx, 2, ..]
  kHeadsMajor,  // permuted from [n_layers, num_kv_heads, total_ctx, head_dim]
  kOddPool,     // a pool with a spare element after each head
  kAbsent,
  kKOnly,
  kVOnly,
};

enum class FaultWord : std::uint8_t { kVector, kScalar, kAbsent };

struct Case {
  std::string_view name;
  std::int64_t total_ctx, n_layers, num_kv_heads, head_dim, rotary_dim, max_pos;
  Dtype dtype = kBfloat16, weight = kBfloat16, angles = kFloat32, positions = kInt64;
  Layout layout = Layout::kContiguous;  // of kv
  Out out = Out::kGiven;
  FaultWord fault = FaultWord::kVector;
  Layout weight_layout = Layout::kContiguous, angles_layout = Layout::kContiguous;
};

inline constexpr auto kCases = std::to_array<Case>({
    // Real shapes.
    {"1x5x8x128", 1, 5, 8, 128, 128, 131072},
    {"16x8x8x128_r64", 16, 8, 8, 128, 64, 131072},
    {"256x5x4x128", 256, 5, 4, 128, 128, 131072},
    {"4096x5x8x128", 4096, 5, 8, 128, 128, 131072},
    {"4096x8x8x128_r64_pool", 4096, 8, 8, 128, 64, 131072, kBfloat16, kBfloat16, kFloat32, kInt64,
     Layout::kContiguous, Out::kPool},
    {"32768x5x1x128", 32768, 5, 1, 128, 128, 131072},
    {"32768x8x8x128", 32768, 8, 8, 128, 128, 131072},
    // Small ones, each for a path: dtypes, units of 16 to 2 bytes, heads of one slot to more slots
    // than lanes, layouts, empty and single dimensions.
    {"small_vectors", 3, 3, 2, 32, 32, 5},
    {"small_rest", 3, 2, 2, 48, 16, 5, kBfloat16, kFloat32, kFloat32, kInt32, Layout::kSliced,
     Out::kPool, FaultWord::kVector, Layout::kSliced, Layout::kSliced},
    {"small_odd_rest", 2, 2, 3, 40, 16, 4, kFloat16, kFloat16, kFloat16},
    {"small_f32", 4, 3, 2, 24, 16, 5, kFloat32, kFloat32, kFloat32, kInt64, Layout::kLayersMajor,
     Out::kHeadsMajor},
    {"small_f32_scalar", 3, 2, 2, 10, 6, 5, kFloat32, kFloat32, kFloat32, kInt32, Layout::kPadded,
     Out::kOddPool, FaultWord::kVector, Layout::kPadded, Layout::kPadded},
    {"small_f16_scalar", 3, 2, 2, 7, 2, 5, kFloat16, kFloat32, kFloat16, kInt64, Layout::kShifted,
     Out::kGiven, FaultWord::kVector, Layout::kShifted, Layout::kShifted},
    {"small_pairs", 3, 2, 1, 20, 12, 5, kBfloat16, kBfloat16, kBfloat16},
    {"broadcast", 5, 3, 2, 16, 16, 4, kBfloat16, kBfloat16, kFloat32, kInt64, Layout::kBroadcast,
     Out::kGiven, FaultWord::kVector, Layout::kBroadcast, Layout::kBroadcast},
    {"head_dim_46", 3, 2, 2, 46, 46, 4},
    {"head_dim_96", 2, 2, 2, 96, 96, 3},
    {"head_dim_128_r64", 2, 2, 1, 128, 64, 3},
    {"head_dim_2", 7, 2, 3, 2, 2, 4},
    {"head_dim_1023", 1, 1, 1, 1023, 1022, 1, kFloat16, kFloat32, kFloat32},
    {"head_dim_1024", 1, 1, 1, 1024, 1024, 1},
    {"head_dim_1024_f32", 1, 1, 1, 1024, 512, 1, kFloat32, kFloat32, kFloat32},
    {"one_layer", 6, 1, 2, 16, 8, 4, kBfloat16, kFloat32},
    {"more_rows_than_a_warp", 40, 2, 1, 16, 16, 9},
    {"no_tokens", 0, 2, 2, 16, 16, 4},
    {"no_tokens_no_fault", 0, 2, 2, 16, 16, 4, kBfloat16, kBfloat16, kFloat32, kInt64,
     Layout::kContiguous, Out::kGiven, FaultWord::kAbsent},
    {"no_layers", 3, 0, 2, 16, 16, 4},
    {"outputs_absent", 3, 2, 2, 16, 8, 4, kBfloat16, kBfloat16, kFloat32, kInt64,
     Layout::kContiguous, Out::kAbsent, FaultWord::kScalar},
    {"k_out_absent", 3, 2, 2, 16, 16, 4, kFloat16, kFloat32, kFloat32, kInt32, Layout::kSliced,
     Out::kVOnly},
    {"v_out_absent", 3, 2, 2, 8, 4, 4, kFloat32, kFloat32, kFloat32, kInt32, Layout::kContiguous,
     Out::kKOnly, FaultWord::kAbsent},
});

inline constexpr std::size_t kKv = field_index<Op>("kv"),
                             kWeight = field_index<Op>("k_norm_weight"),
                             kEps = field_index<Op>("eps"),
                             kAngles = field_index<Op>("cos_sin_cache"),
                             kPositions = field_index<Op>("positions"),
                             kHeads = field_index<Op>("num_kv_heads"),
                             kHeadDim = field_index<Op>("head_dim"),
                             kRotaryDim = field_index<Op>("rotary_dim"),
                             kKOut = field_index<Op>("k_out"), kVOut = field_index<Op>("v_out"),
                             kFault = field_index<Op>("fault");

// Compact strides with `room` elements after each row of the last dimension.
inline void spread(TensorSpec& t, std::int64_t room) {
  const auto rank = static_cast<std::size_t>(t.rank);
  std::int64_t stride = t.shape[rank - 1] + room;
  for (std::size_t d = rank - 1; d-- > 0;) {
    t.strides[d] = stride;
    stride *= std::max<std::int64_t>(t.shape[d], 1);
  }
}

inline void lay_out(TensorSpec& t, Layout layout) {
  const std::size_t last = static_cast<std::size_t>(t.rank) - 1;
  switch (layout) {
    case Layout::kContiguous:
      break;
    case Layout::kLayersMajor:
      if (t.rank == 3) t.strides = {t.shape[2], t.shape[0] * t.shape[2], 1};
      break;
    case Layout::kSliced:
      spread(t, 32);
      t.offset = 64;
      break;
    case Layout::kPadded:
      spread(t, 3);
      break;
    case Layout::kBroadcast:
      for (std::size_t d = 0; d < last; ++d) t.strides[d] = 0;
      break;
    case Layout::kShifted:
      t.offset = static_cast<std::uint64_t>(t.dtype.bytes());
      break;
  }
}

inline void lay_out_outputs(const Case& of, TensorSpec& k_out, TensorSpec& v_out) {
  const std::int64_t head = of.out == Out::kOddPool ? of.head_dim + 1 : of.head_dim;
  const std::int64_t token = of.num_kv_heads * head;
  switch (of.out) {
    case Out::kPool:
    case Out::kOddPool:
      k_out.strides = {2 * token * of.total_ctx, 2 * token, head, 1};
      v_out.strides = k_out.strides;
      v_out.buffer = k_out.buffer;
      v_out.offset = static_cast<std::uint64_t>(token * of.dtype.bytes());
      break;
    case Out::kHeadsMajor:
      k_out.strides = {token * of.total_ctx, head, of.total_ctx * head, 1};
      v_out.strides = k_out.strides;
      break;
    default:
      break;
  }
}

// A valid call.
inline Call make_call(const Case& of) {
  Call call;
  auto& values = call.values;
  const std::int64_t kv_size = of.num_kv_heads * of.head_dim;
  values[kKv].tensor = compact(of.dtype, cuda(0), kKv, {of.total_ctx, of.n_layers, 2 * kv_size});
  values[kWeight].tensor = compact(of.weight, cuda(0), kWeight, {of.n_layers, of.head_dim});
  values[kAngles].tensor = compact(of.angles, cuda(0), kAngles, {of.max_pos, of.rotary_dim});
  lay_out(values[kKv].tensor, of.layout);
  lay_out(values[kWeight].tensor, of.weight_layout);
  lay_out(values[kAngles].tensor, of.angles_layout);
  values[kEps].tensor = compact(kFloat32, cuda(0), kEps, {of.n_layers});
  values[kPositions].tensor = compact(of.positions, cuda(0), kPositions, {of.total_ctx});
  values[kHeads].integer = of.num_kv_heads;
  values[kHeadDim].integer = of.head_dim;
  values[kRotaryDim].integer = of.rotary_dim;
  for (const std::size_t i : {kKOut, kVOut}) {
    values[i].tensor = compact(of.dtype, cuda(0), static_cast<std::uint8_t>(i),
                               {of.n_layers, of.total_ctx, of.num_kv_heads, of.head_dim});
  }
  lay_out_outputs(of, values[kKOut].tensor, values[kVOut].tensor);
  values[kKOut].absent = of.out == Out::kAbsent || of.out == Out::kVOnly;
  values[kVOut].absent = of.out == Out::kAbsent || of.out == Out::kKOnly;
  values[kFault].tensor = compact(kUInt64, cuda(0), kFault, {1});
  if (of.fault == FaultWord::kScalar) drop_last_dim(values[kFault].tensor);
  values[kFault].absent = of.fault == FaultWord::kAbsent;
  return call;
}

// A random small case. Every draw is valid.
inline Case draw_case(Choices& choose) {
  // Units of every width, with and without a rest, and now and then more slots than lanes.
  static constexpr std::int64_t kHeadDims[] = {2, 3, 8, 10, 16, 17, 24, 32, 40, 46, 64};
  static constexpr Dtype kDtypes[] = {kBfloat16, kBfloat16, kFloat16, kFloat32};
  // Mostly those that vectors may move: one tensor that they may not would hide the others.
  static constexpr Layout kLayouts[] = {
      Layout::kContiguous,  Layout::kContiguous, Layout::kContiguous,
      Layout::kSliced,      Layout::kSliced,     Layout::kBroadcast,
      Layout::kLayersMajor, Layout::kPadded,     Layout::kShifted};
  const bool is_large = choose.one_in(16);
  const std::int64_t head_dim =
      is_large ? choose.of({std::int64_t{128}, std::int64_t{131}, std::int64_t{200}})
               : choose.of(kHeadDims);
  const Dtype dtype = choose.of(kDtypes);
  const std::int64_t half = choose.one_in(2) ? head_dim / 2 : choose.between(1, head_dim / 2);
  const std::int64_t eighth = half > 8 && choose.one_in(2) ? half / 8 * 8 : half;
  return {.name = "drawn",
          .total_ctx = is_large ? choose.between(1, 2) : choose.between(0, 5),
          .n_layers = choose.one_in(16) ? 0 : choose.between(1, 5),
          .num_kv_heads = choose.between(1, 3),
          .head_dim = head_dim,
          .rotary_dim = 2 * eighth,
          .max_pos = choose.between(1, 6),
          .dtype = dtype,
          .weight = choose.one_in(2) ? dtype : kFloat32,
          .angles = choose.one_in(2) ? dtype : kFloat32,
          .positions = choose.of({kInt32, kInt64}),
          .layout = choose.of(kLayouts),
          .out = choose.of({Out::kGiven, Out::kGiven, Out::kPool, Out::kHeadsMajor, Out::kOddPool,
                            Out::kAbsent, Out::kKOnly, Out::kVOnly}),
          .fault = choose.of(
              {FaultWord::kVector, FaultWord::kVector, FaultWord::kScalar, FaultWord::kAbsent}),
          .weight_layout = choose.of(kLayouts),
          .angles_layout = choose.of(kLayouts)};
}

// The type of a device that is none of CUDA's own memory.
inline DeviceType other_device_type(Choices& choose) {
  return choose.of({DeviceType::kCpu, DeviceType::kCudaHost, DeviceType::kCudaManaged,
                    DeviceType::kRocm, static_cast<DeviceType>(77)});
}

template <std::size_t kField>
bool put_elsewhere(Call& c, Choices& choose) {
  if (c.values[kField].absent) return false;
  Device& device = c.values[kField].tensor.device;
  device = choose.of({cuda(device.index ^ 1), kCpuDevice});
  return true;
}
template <std::size_t kField>
bool make_integer(Call& c, Choices& choose) {
  return !c.values[kField].absent && other_dtype(c.values[kField].tensor, choose);
}
template <std::size_t kField>
bool make_float(Call& c, Choices&) {
  c.values[kField].tensor.dtype.code = DtypeCode::kFloat;
  return true;
}
template <std::size_t kField>
bool spread_inner(Call& c, Choices& choose) {
  if (c.values[kField].absent) return false;
  // 0 would make some tensors smaller than what they share a buffer with.
  return change_inner_stride(c.values[kField].tensor, choose.of({0, 2, 3}));
}
template <std::size_t kField>
bool other_shape(Call& c, Choices& choose) {
  if (c.values[kField].absent) return false;
  TensorSpec& t = c.values[kField].tensor;
  if (t.rank < 1) return false;
  t.shape[choose.below(static_cast<std::uint64_t>(t.rank))] += 1;
  return true;
}
template <std::size_t kField>
bool other_rank(Call& c, Choices&) {
  return !c.values[kField].absent && drop_last_dim(c.values[kField].tensor);
}
template <std::size_t kField>
bool overlap_itself(Call& c, Choices& choose) {
  if (c.values[kField].absent) return false;
  TensorSpec& t = c.values[kField].tensor;
  const std::size_t d = choose.below(3);
  if (t.null_strides || is_empty(t) || t.shape[d] <= 1) return false;
  t.strides[d] = choose.of({std::int64_t{0}, std::int64_t{1}});
  return true;
}
template <std::size_t kField>
bool overlap_an_input(Call& c, Choices& choose) {
  TensorSpec& t = c.values[kField].tensor;
  const TensorSpec& input = c.values[choose.of({kKv, kWeight, kEps, kAngles, kPositions})].tensor;
  if (c.values[kField].absent || is_empty(t) || is_empty(input)) return false;
  t.buffer = input.buffer;
  // A multiple of any element's size.
  t.offset = input.offset / 8 * 8;
  return input.offset % 8 == 0;
}

// For each rule of the op's own, and the well-formed one that no tensor of one element can break:
// one edit that breaks it, and none before it.
inline constexpr auto kViolations = std::to_array<Violation>({
    {"kv.rank", other_rank<kKv>},
    {"heads.positive",
     [](Call& c, Choices& choose) {
       c.values[choose.of({kHeads, kHeadDim})].integer =
           choose.of({std::int64_t{0}, std::int64_t{-1}, INT64_MIN});
       return true;
     }},
    {"head_dim.limit",
     [](Call& c, Choices& choose) {
       c.values[kHeadDim].integer = choose.of({std::int64_t{1025}, INT64_MAX});
       return true;
     }},
    {"head_dim.limit",
     [](Call& c, Choices&) {
       c = make_call({"", 1, 1, 1, 1026, 1026, 1});
       return true;
     }},
    {"kv.trailing_dim",
     [](Call& c, Choices& choose) {
       c.values[kKv].tensor.shape[2] += choose.of({-1, 1, 2});
       return true;
     }},
    {"kv.trailing_dim",
     [](Call& c, Choices& choose) {
       // 2 * 2^62 * head_dim wraps to 0, and to other numbers.
       const std::int64_t huge = std::int64_t{1} << 62;
       c.values[kHeads].integer = choose.of({huge, huge + 1, huge + c.values[kHeads].integer});
       return true;
     }},
    {"rotary_dim.range",
     [](Call& c, Choices& choose) {
       const std::int64_t head_dim = c.values[kHeadDim].integer;
       c.values[kRotaryDim].integer = choose.of({std::int64_t{0}, std::int64_t{-2}, std::int64_t{1},
                                                 head_dim / 2 * 2 + 2, INT64_MAX, INT64_MIN});
       return true;
     }},
    {"k_norm_weight.shape", other_shape<kWeight>},
    {"k_norm_weight.shape", other_rank<kWeight>},
    {"eps.shape", other_shape<kEps>},
    {"eps.shape", other_rank<kEps>},
    {"cos_sin_cache.shape",
     [](Call& c, Choices& choose) {
       c.values[kAngles].tensor.shape[1] += choose.of({-1, 1, 2});
       return true;
     }},
    {"cos_sin_cache.shape",
     [](Call& c, Choices&) {
       c.values[kAngles].tensor.shape[0] = 0;
       return true;
     }},
    {"cos_sin_cache.shape", other_rank<kAngles>},
    {"positions.shape", other_shape<kPositions>},
    {"positions.shape",
     [](Call& c, Choices&) {
       // Those of a model with three of them a token.
       TensorSpec& t = c.values[kPositions].tensor;
       t = compact(t.dtype, t.device, t.buffer, {3, t.shape[0]});
       return true;
     }},
    {"kv.cuda",
     [](Call& c, Choices& choose) {
       c.values[kKv].tensor.device.type = other_device_type(choose);
       return true;
     }},
    {"k_norm_weight.device", put_elsewhere<kWeight>},
    {"eps.device", put_elsewhere<kEps>},
    {"cos_sin_cache.device", put_elsewhere<kAngles>},
    {"positions.device", put_elsewhere<kPositions>},
    {"kv.dtype", make_integer<kKv>},
    {"k_norm_weight.dtype", make_integer<kWeight>},
    {"eps.dtype", make_integer<kEps>},
    {"cos_sin_cache.dtype", make_integer<kAngles>},
    {"positions.dtype", make_float<kPositions>},
    {"kv.inner_contiguous", spread_inner<kKv>},
    {"k_norm_weight.inner_contiguous", spread_inner<kWeight>},
    {"cos_sin_cache.inner_contiguous", spread_inner<kAngles>},
    {"eps.contiguous", spread_inner<kEps>},
    {"positions.contiguous", spread_inner<kPositions>},
    {"k_out.shape", other_shape<kKOut>},
    {"k_out.shape", other_rank<kKOut>},
    {"k_out.device_dtype", put_elsewhere<kKOut>},
    {"k_out.device_dtype", make_integer<kKOut>},
    {"v_out.shape", other_shape<kVOut>},
    {"v_out.shape", other_rank<kVOut>},
    {"v_out.device_dtype", put_elsewhere<kVOut>},
    {"v_out.device_dtype", make_integer<kVOut>},
    {"k_out.inner_contiguous", spread_inner<kKOut>},
    {"v_out.inner_contiguous", spread_inner<kVOut>},
    {"k_out.no_self_overlap", overlap_itself<kKOut>},
    {"v_out.no_self_overlap", overlap_itself<kVOut>},
    {"outputs.no_overlap", overlap_an_input<kKOut>},
    {"outputs.no_overlap", overlap_an_input<kVOut>},
    {"outputs.no_overlap",
     [](Call& c, Choices&) {
       const TensorSpec& k_out = c.values[kKOut].tensor;
       if (c.values[kKOut].absent || c.values[kVOut].absent || is_empty(k_out)) return false;
       c.values[kVOut].tensor.buffer = k_out.buffer;
       c.values[kVOut].tensor.offset = k_out.offset;
       return true;
     }},
    {"fault.strides",
     [](Call& c, Choices& choose) {
       TensorSpec& t = c.values[kFault].tensor;
       if (c.values[kFault].absent || t.rank < 1 || t.null_strides) return false;
       t.shape[0] = 2;
       t.strides[0] = choose.of({std::int64_t{-1}, INT64_MIN});
       return true;
     }},
    {"fault.matches", other_shape<kFault>},
    {"fault.matches", put_elsewhere<kFault>},
    {"fault.matches", make_integer<kFault>},
    {"fault.no_overlap", overlap_an_input<kFault>},
    {"fault.no_overlap",
     [](Call& c, Choices& choose) {
       const std::size_t out = choose.of({kKOut, kVOut});
       const TensorSpec& t = c.values[out].tensor;
       if (c.values[kFault].absent || c.values[out].absent || is_empty(t)) return false;
       c.values[kFault].tensor.buffer = t.buffer;
       c.values[kFault].tensor.offset = t.offset / 8 * 8;
       return true;
     }},
});

// What generic code takes from this file.
struct Cases {
  static constexpr const auto& kCases = kv_materialize::kCases;
  static constexpr const auto& kViolations = kv_materialize::kViolations;
  static Call make_call(const Case& of) { return kv_materialize::make_call(of); }
  static Case draw_case(Choices& choose) { return kv_materialize::draw_case(choose); }
};

}  // namespace prelaunch::kv_materialize
