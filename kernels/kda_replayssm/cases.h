// The cases of kda_replayssm; see kernels/ulysses_pack/cases.h for what each part is for.
#pragma once

#include <array>
#include <limits>
#include <string_view>

#include "kernels/common/call.h"
#include "kernels/common/choices.h"
#include "kernels/common/violation.h"
#include "kernels/kda_replayssm/kda_replayssm.h"

namespace prelaunch::kda_replayssm {

enum class Layout : std::uint8_t {
  kContiguous,
  kPadded,  // room after each row of mixed_qkv and b, after each slot; cursors from a wider table
  kPageMajor,  // the four pools as sections of one page a slot, in one buffer of bytes
  kRowsFirst,  // pools permuted from [slots, rows, heads, channels]
};

struct Case {
  std::string_view name;
  std::int64_t B, H, HV, K, V, L, slots;
  Dtype io = kBfloat16, state = kFloat32, ring = kBfloat16, parameters = kFloat32;
  Layout layout = Layout::kContiguous;
  bool three_dims = false;  // `a` and dt_bias with a dimension for heads
  bool force_flush = true, fault = true, l2norm = true, bounded = false;
  Dtype indices = kInt32;
  std::int64_t live = -1;  // ring entries of every row; -1: each row's are drawn
};

// The case with the same cursor in every row, and no padding: L - 1 flushes them all, any other
// none.
constexpr Case at_cursor(std::int64_t live, Case of) {
  of.live = live;
  of.force_flush = false;
  return of;
}

inline constexpr auto kCases = std::to_array<Case>({
    // Real shapes: Kimi Linear, split by tensor parallelism.
    {"b1_h32_l16", 1, 32, 32, 128, 128, 16, 8},
    {"b8_h16_l16", 8, 16, 16, 128, 128, 16, 16},
    {"b32_h32_l8_bf16_state", 32, 32, 32, 128, 128, 8, 64, kBfloat16, kBfloat16},
    at_cursor(16, {"b128_h8_l32", 128, 8, 8, 128, 128, 32, 256}),
    at_cursor(8, {"b256_h32_l16", 256, 32, 32, 128, 128, 16, 512}),
    at_cursor(15, {"b256_h32_l16_flush", 256, 32, 32, 128, 128, 16, 512}),
    at_cursor(8, {"b256_h32_l16_bf16_state", 256, 32, 32, 128, 128, 16, 512, kBfloat16, kBfloat16}),
    // Small ones, each for a path.
    {"small", 3, 2, 2, 8, 8, 4, 5},
    {"grouped_heads", 2, 2, 6, 8, 4, 3, 3, kFloat16, kFloat32, kFloat16},
    {"k_is_not_v", 2, 1, 2, 12, 5, 4, 3, kBfloat16, kBfloat16, kBfloat16, kBfloat16},
    {"odd_channels", 2, 1, 1, 5, 3, 3, 2, kFloat32, kFloat32, kFloat32},
    {"wide_channels", 1, 1, 1, 60, 20, 2, 1},
    {"one_entry", 2, 1, 2, 8, 4, 1, 2, kBfloat16, kFloat32, kFloat32},
    {"long_ring", 1, 1, 1, 8, 4, 64, 1, kFloat16, kBfloat16, kFloat32},
    {"padded", 3, 2, 2, 8, 4, 3, 4, kBfloat16, kFloat32, kBfloat16, kFloat32, Layout::kPadded},
    {"page_major", 3, 1, 2, 8, 8, 4, 4, kBfloat16, kFloat32, kBfloat16, kFloat32,
     Layout::kPageMajor},
    {"rows_first", 2, 2, 2, 8, 4, 3, 3, kFloat16, kBfloat16, kFloat16, kFloat16, Layout::kRowsFirst,
     true},
    {"bounded", 3, 2, 2, 8, 4, 4, 4, kBfloat16, kFloat32, kBfloat16, kFloat32, Layout::kContiguous,
     true, false, false, false, true, kInt64},
    {"no_rows", 0, 1, 2, 8, 4, 3, 2},
    {"no_slots", 2, 1, 2, 8, 4, 3, 0},
});

inline constexpr std::size_t kQkv = field_index<Op>("mixed_qkv"), kA = field_index<Op>("a"),
                             kB = field_index<Op>("b"), kALog = field_index<Op>("A_log"),
                             kDtBias = field_index<Op>("dt_bias"),
                             kScale = field_index<Op>("scale"),
                             kState = field_index<Op>("initial_state"),
                             kD = field_index<Op>("d_cache"), kK = field_index<Op>("k_cache"),
                             kG = field_index<Op>("g_cache"), kOut = field_index<Op>("out"),
                             kIndices = field_index<Op>("ssm_state_indices"),
                             kWritePos = field_index<Op>("write_pos"),
                             kForceFlush = field_index<Op>("force_flush"),
                             kL2norm = field_index<Op>("use_qk_l2norm"),
                             kLowerBound = field_index<Op>("lower_bound"),
                             kFault = field_index<Op>("fault");
inline constexpr std::size_t kPools[] = {kState, kD, kK, kG};

inline TensorSpec spec(Dtype dtype, std::size_t field, std::initializer_list<std::int64_t> shape) {
  return compact(dtype, cuda(0), static_cast<std::uint8_t>(field), shape);
}

// The pools one behind the other inside a page for each slot, the pages an odd number of 16 bytes
// apart.
inline void make_page_major(Call& call) {
  std::uint64_t page = 0;
  for (const std::size_t i : kPools) {
    TensorSpec& t = call.values[i].tensor;
    t.buffer = static_cast<std::uint8_t>(kState);
    t.offset = page;
    const auto bytes =
        static_cast<std::uint64_t>(t.shape[1] * t.shape[2] * t.shape[3] * t.dtype.bytes());
    page += (bytes + 15) / 16 * 16;
  }
  page = page / 16 % 2 == 1 ? page : page + 16;
  for (const std::size_t i : kPools) {
    TensorSpec& t = call.values[i].tensor;
    t.strides[0] = static_cast<std::int64_t>(page) / t.dtype.bytes();
  }
}

inline void lay_out(const Case& of, Call& call) {
  if (of.layout == Layout::kPageMajor) make_page_major(call);
  if (of.layout == Layout::kRowsFirst) {
    for (const std::size_t i : kPools) {
      TensorSpec& t = call.values[i].tensor;
      t.strides[1] = t.shape[3];
      t.strides[2] = t.shape[1] * t.shape[3];
    }
  }
  if (of.layout != Layout::kPadded) return;
  for (const std::size_t i : {kQkv, kB, kState, kD, kK, kG}) {
    call.values[i].tensor.strides[0] += 3;
  }
  for (const std::size_t i : {kIndices, kWritePos, kForceFlush}) {
    call.values[i].tensor.strides[0] = 8;
  }
}

// A valid call.
inline Call make_call(const Case& of) {
  Call call;
  auto& v = call.values;
  v[kQkv].tensor = spec(of.io, kQkv, {of.B, 2 * of.H * of.K + of.HV * of.V});
  v[kA].tensor =
      of.three_dims ? spec(of.io, kA, {of.B, of.HV, of.K}) : spec(of.io, kA, {of.B, of.HV * of.K});
  v[kB].tensor = spec(of.io, kB, {of.B, of.HV});
  v[kALog].tensor = of.three_dims ? spec(of.parameters, kALog, {1, 1, of.HV, 1})
                                  : spec(of.parameters, kALog, {of.HV});
  v[kDtBias].tensor = of.three_dims ? spec(of.parameters, kDtBias, {of.HV, of.K})
                                    : spec(of.parameters, kDtBias, {of.HV * of.K});
  v[kScale].real = 0.25f;
  v[kState].tensor = spec(of.state, kState, {of.slots, of.HV, of.V, of.K});
  v[kD].tensor = spec(of.ring, kD, {of.slots, of.HV, of.L, of.V});
  v[kK].tensor = spec(of.ring, kK, {of.slots, of.H, of.L, of.K});
  v[kG].tensor = spec(kFloat32, kG, {of.slots, of.HV, of.L, of.K});
  v[kOut].tensor = spec(of.io, kOut, {of.B, 1, of.HV, of.V});
  v[kIndices].tensor = spec(of.indices, kIndices, {of.B});
  v[kWritePos].tensor = spec(kInt32, kWritePos, {of.B});
  if (of.live >= 0) {
    call.fill = 1;  // contents without padding
    v[kWritePos].tensor.fill = {
        .kind = Fill::Kind::kNumber, .number = static_cast<double>(of.live), .at = {}};
  }
  v[kForceFlush].tensor = spec(kInt32, kForceFlush, {of.B});
  v[kForceFlush].absent = !of.force_flush;
  v[kL2norm].boolean = of.l2norm;
  v[kLowerBound].absent = !of.bounded;
  v[kLowerBound].real = of.bounded ? -5.0f : 0.0f;
  v[kFault].tensor = spec(kUInt64, kFault, {1});
  v[kFault].absent = !of.fault;
  lay_out(of, call);
  return call;
}

// A random small case. Every draw is valid.
inline Case draw_case(Choices& choose) {
  static constexpr std::int64_t kChannels[] = {1, 3, 4, 5, 8, 12, 16};
  const Dtype io = choose.of({kFloat32, kFloat16, kBfloat16});
  const Dtype state = choose.of({kFloat32, kBfloat16});
  const std::int64_t H = choose.between(1, 2);
  return {.name = "drawn",
          .B = choose.between(0, 4),
          .H = H,
          .HV = H * choose.between(1, 2),
          .K = choose.of(kChannels),
          .V = choose.of(kChannels),
          .L = choose.one_in(8) ? choose.between(1, 64) : choose.between(1, 5),
          .slots = choose.between(0, 5),
          .io = io,
          .state = state,
          .ring = choose.of({io, kFloat32, state}),
          .parameters = choose.of({kFloat32, io}),
          .layout = choose.of(
              {Layout::kContiguous, Layout::kPadded, Layout::kPageMajor, Layout::kRowsFirst}),
          .three_dims = choose.one_in(2),
          .force_flush = choose.one_in(2),
          .fault = choose.one_in(2),
          .l2norm = choose.one_in(2),
          .bounded = choose.one_in(2),
          .indices = choose.of({kInt32, kInt64})};
}

// --- edits --------------------------------------------------------------------------------------

inline bool add_dim(TensorSpec& t) {
  if (t.rank < 1 || t.rank >= kMaxRank) return false;
  const auto last = static_cast<std::size_t>(t.rank++);
  t.shape[last] = t.strides[last] = 1;
  return true;
}
inline bool other_rank(TensorSpec& t, Choices& choose) {
  return choose.one_in(2) ? add_dim(t) : drop_last_dim(t);
}
// Breaks contiguity of the last of several rows.
inline bool pad_first_stride(TensorSpec& t) {
  if (t.rank < 2 || t.null_strides || t.shape[0] <= 1 || is_empty(t)) return false;
  t.strides[0] += 1;
  return true;
}
inline bool grow(TensorSpec& t, std::size_t d, std::int64_t by) {
  if (t.shape[d] + by < 0) return false;
  t.shape[d] += by;
  return true;
}
// The same of a contiguous tensor, which stays so.
inline bool grow_compact(TensorSpec& t, std::size_t d, std::int64_t by) {
  if (!grow(t, d, by)) return false;
  std::int64_t stride = 1;
  for (auto i = static_cast<std::size_t>(t.rank); i-- > 0 && !t.null_strides;) {
    t.strides[i] = stride;
    stride *= t.shape[i];
  }
  return true;
}
inline bool elsewhere(TensorSpec& t, Choices& choose) {
  t.device = choose.of({cuda(t.device.index ^ 1), kCpuDevice});
  return true;
}
inline bool overlap_slots(TensorSpec& t) {
  if (t.null_strides || t.shape[0] <= 1 || is_empty(t)) return false;
  t.strides[0] = 0;
  return true;
}

// For each rule of the op's own: one edit that breaks it, and none before it.
inline constexpr auto kViolations = std::to_array<Violation>({
    {"a.layout", [](Call& c, Choices&) { return pad_first_stride(c.values[kA].tensor); }},
    {"a.layout",
     [](Call& c, Choices&) {
       TensorSpec& t = c.values[kA].tensor;
       return t.rank == 3 ? add_dim(t) : drop_last_dim(t);
     }},
    {"dt_bias.layout",
     [](Call& c, Choices&) {
       return change_inner_stride(c.values[kDtBias].tensor, 2);
     }},
    {"dt_bias.layout",
     [](Call& c, Choices&) {
       TensorSpec& t = c.values[kDtBias].tensor;
       return t.rank == 2 && add_dim(t);
     }},
    {"mixed_qkv.rank",
     [](Call& c, Choices& choose) { return other_rank(c.values[kQkv].tensor, choose); }},
    {"mixed_qkv.inner_contiguous",
     [](Call& c, Choices&) { return change_inner_stride(c.values[kQkv].tensor, 2); }},
    {"b.rank", [](Call& c, Choices&) { return drop_last_dim(c.values[kB].tensor); }},
    {"b.inner_contiguous",
     [](Call& c, Choices&) { return change_inner_stride(c.values[kB].tensor, 2); }},
    {"A_log.contiguous",
     [](Call& c, Choices&) {
       TensorSpec& t = c.values[kALog].tensor;
       const std::size_t d = t.rank == 4 ? 2 : 0;
       if (t.null_strides || t.shape[d] <= 1) return false;
       t.strides[d] = 2;
       return true;
     }},
    {"ssm_state_indices.rank",
     [](Call& c, Choices& choose) { return other_rank(c.values[kIndices].tensor, choose); }},
    {"out.contiguous", [](Call& c, Choices&) { return pad_first_stride(c.values[kOut].tensor); }},
    {"inputs.same_device",
     [](Call& c, Choices& choose) {
       return elsewhere(
           c.values[choose.of({kA, kB, kALog, kDtBias, kState, kOut, kIndices})].tensor, choose);
     }},
    {"inputs.cuda",
     [](Call& c, Choices& choose) {
       const DeviceType type = choose.of({DeviceType::kCpu, DeviceType::kCudaHost,
                                          DeviceType::kCudaManaged, DeviceType::kRocm});
       for (std::size_t i = 0; i < Op::kFields.size(); ++i) c.values[i].tensor.device.type = type;
       return true;
     }},
    {"batch.matches",
     [](Call& c, Choices& choose) {
       return grow(c.values[choose.of({kA, kB})].tensor, 0, choose.of({-1, 1}));
     }},
    {"ssm_state_indices.shape",
     [](Call& c, Choices& choose) {
       return grow(c.values[kIndices].tensor, 0, choose.of({-1, 1}));
     }},
    {"initial_state.rank",
     [](Call& c, Choices&) { return drop_last_dim(c.values[kState].tensor); }},
    {"initial_state.inner_contiguous",
     [](Call& c, Choices&) { return change_inner_stride(c.values[kState].tensor, 2); }},
    {"dims.limits",
     [](Call& c, Choices& choose) {
       c.values[kState].tensor.shape[choose.of({std::size_t{2}, std::size_t{3}})] =
           choose.of({std::int64_t{0}, kMaxChannels + 1});
       return true;
     }},
    {"dims.limits",
     [](Call& c, Choices&) {
       c.values[kState].tensor.shape[1] = 0;
       return true;
     }},
    {"a.shape",
     [](Call& c, Choices& choose) {
       TensorSpec& t = c.values[kA].tensor;
       return grow_compact(t, static_cast<std::size_t>(t.rank - 1), choose.of({-1, 1}));
     }},
    {"b.shape",
     [](Call& c, Choices& choose) {
       return grow(c.values[kB].tensor, 1, choose.of({-1, 1}));
     }},
    {"A_log.shape",
     [](Call& c, Choices& choose) {
       TensorSpec& t = c.values[kALog].tensor;
       return grow_compact(t, t.rank == 4 ? 2 : 0, choose.of({-1, 1}));
     }},
    {"dt_bias.shape",
     [](Call& c, Choices& choose) {
       TensorSpec& t = c.values[kDtBias].tensor;
       return grow_compact(t, static_cast<std::size_t>(t.rank - 1), choose.of({-1, 1}));
     }},
    {"out.shape",
     [](Call& c, Choices& choose) {
       TensorSpec& t = c.values[kOut].tensor;
       return grow_compact(t, static_cast<std::size_t>(choose.below(4)), choose.of({-1, 1}));
     }},
    {"mixed_qkv.packed_dim",
     [](Call& c, Choices& choose) {
       return grow(c.values[kQkv].tensor, 1, choose.of({-1, 1}));
     }},
    {"mixed_qkv.packed_dim",
     [](Call& c, Choices&) {
       // No q and k at all.
       c.values[kQkv].tensor.shape[1] = c.values[kOut].tensor.shape[2] * c.values[kOut].tensor.shape[3];
       return true;
     }},
    {"heads.grouped",
     [](Call& c, Choices&) {
       TensorSpec& t = c.values[kQkv].tensor;
       const TensorSpec& state = c.values[kState].tensor;
       // One q/k head more than there are value heads.
       t.shape[1] = 2 * (state.shape[1] + 1) * state.shape[3] + state.shape[1] * state.shape[2];
       if (!t.null_strides) t.strides[0] = t.shape[1];
       return true;
     }},
    {"write_pos.layout",
     [](Call& c, Choices& choose) {
       TensorSpec& t = c.values[kWritePos].tensor;
       return choose.one_in(2) ? add_dim(t) : other_dtype(t, choose);
     }},
    {"write_pos.shape",
     [](Call& c, Choices& choose) {
       return grow(c.values[kWritePos].tensor, 0, choose.of({-1, 1}));
     }},
    {"force_flush.layout",
     [](Call& c, Choices& choose) {
       if (c.values[kForceFlush].absent) return false;
       TensorSpec& t = c.values[kForceFlush].tensor;
       if (choose.one_in(3)) return add_dim(t);
       return choose.one_in(2) ? other_dtype(t, choose) : grow(t, 0, choose.of({-1, 1}));
     }},
    {"d_cache.rank", [](Call& c, Choices&) { return drop_last_dim(c.values[kD].tensor); }},
    {"k_cache.rank", [](Call& c, Choices&) { return drop_last_dim(c.values[kK].tensor); }},
    {"g_cache.rank", [](Call& c, Choices&) { return drop_last_dim(c.values[kG].tensor); }},
    {"d_cache.length",
     [](Call& c, Choices&) {
       for (const std::size_t i : {kD, kK, kG}) c.values[i].tensor.shape[2] = 0;
       return true;
     }},
    {"d_cache.length_limit",
     [](Call& c, Choices&) {
       c.values[kD].tensor.shape[2] = kMaxRing + 1;
       return true;
     }},
    {"d_cache.shape",
     [](Call& c, Choices& choose) {
       return grow(c.values[kD].tensor, choose.of({std::size_t{1}, std::size_t{3}}),
                   choose.of({-1, 1}));
     }},
    {"k_cache.shape",
     [](Call& c, Choices& choose) {
       return grow(c.values[kK].tensor,
                   choose.of({std::size_t{1}, std::size_t{2}, std::size_t{3}}),
                   choose.of({-1, 1}));
     }},
    {"g_cache.shape",
     [](Call& c, Choices& choose) {
       return grow(c.values[kG].tensor,
                   choose.of({std::size_t{1}, std::size_t{2}, std::size_t{3}}),
                   choose.of({-1, 1}));
     }},
    {"slots.match",
     [](Call& c, Choices& choose) {
       return grow(c.values[choose.of({kD, kK, kG})].tensor, 0, choose.of({-1, 1}));
     }},
    {"g_cache.dtype", [](Call& c, Choices& choose) { return other_dtype(c.values[kG].tensor, choose); }},
    {"caches.same_device",
     [](Call& c, Choices& choose) {
       return elsewhere(c.values[choose.of({kD, kK, kG, kWritePos})].tensor, choose);
     }},
    {"force_flush.device",
     [](Call& c, Choices& choose) {
       return !c.values[kForceFlush].absent && elsewhere(c.values[kForceFlush].tensor, choose);
     }},
    {"mixed_qkv.dtype", [](Call& c, Choices& choose) { return other_dtype(c.values[kQkv].tensor, choose); }},
    {"a.dtype", [](Call& c, Choices& choose) { return other_dtype(c.values[kA].tensor, choose); }},
    {"b.dtype", [](Call& c, Choices& choose) { return other_dtype(c.values[kB].tensor, choose); }},
    {"A_log.dtype", [](Call& c, Choices& choose) { return other_dtype(c.values[kALog].tensor, choose); }},
    {"dt_bias.dtype", [](Call& c, Choices& choose) { return other_dtype(c.values[kDtBias].tensor, choose); }},
    {"initial_state.dtype",
     [](Call& c, Choices& choose) { return other_dtype(c.values[kState].tensor, choose); }},
    {"d_cache.dtype", [](Call& c, Choices& choose) { return other_dtype(c.values[kD].tensor, choose); }},
    {"k_cache.dtype", [](Call& c, Choices& choose) { return other_dtype(c.values[kK].tensor, choose); }},
    {"out.dtype", [](Call& c, Choices& choose) { return other_dtype(c.values[kOut].tensor, choose); }},
    {"ssm_state_indices.dtype",
     [](Call& c, Choices&) {
       c.values[kIndices].tensor.dtype.code = DtypeCode::kUInt;
       return true;
     }},
    {"d_cache.inner_contiguous",
     [](Call& c, Choices&) { return change_inner_stride(c.values[kD].tensor, 2); }},
    {"k_cache.inner_contiguous",
     [](Call& c, Choices&) { return change_inner_stride(c.values[kK].tensor, 2); }},
    {"g_cache.inner_contiguous",
     [](Call& c, Choices&) { return change_inner_stride(c.values[kG].tensor, 2); }},
    {"scale.finite",
     [](Call& c, Choices& choose) {
       using Limits = std::numeric_limits<float>;
       c.values[kScale].real =
           choose.of({Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()});
       return true;
     }},
    {"lower_bound.range",
     [](Call& c, Choices& choose) {
       using Limits = std::numeric_limits<float>;
       c.values[kLowerBound].absent = false;
       c.values[kLowerBound].real =
           choose.of({1.0f, -Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min()});
       return true;
     }},
    {"initial_state.no_self_overlap",
     [](Call& c, Choices&) { return overlap_slots(c.values[kState].tensor); }},
    {"d_cache.no_self_overlap",
     [](Call& c, Choices&) { return overlap_slots(c.values[kD].tensor); }},
    {"k_cache.no_self_overlap",
     [](Call& c, Choices&) { return overlap_slots(c.values[kK].tensor); }},
    {"g_cache.no_self_overlap",
     [](Call& c, Choices&) { return overlap_slots(c.values[kG].tensor); }},
    {"written.no_overlap",
     [](Call& c, Choices& choose) {
       const TensorSpec& other = c.values[choose.of({kQkv, kA, kDtBias})].tensor;
       TensorSpec& t = c.values[kOut].tensor;
       if (is_empty(t) || is_empty(other) || other.dtype.bits < t.dtype.bits) return false;
       t.buffer = other.buffer;
       t.offset = other.offset;
       return true;
     }},
    // A well-formed rule that no draw comes near: the word has one element.
    {"fault.strides",
     [](Call& c, Choices&) {
       if (c.values[kFault].absent) return false;
       TensorSpec& t = c.values[kFault].tensor;
       t.null_strides = false;
       t.shape[0] = 2;
       t.strides[0] = -1;
       return true;
     }},
    {"fault.matches",
     [](Call& c, Choices& choose) {
       if (c.values[kFault].absent) return false;
       TensorSpec& t = c.values[kFault].tensor;
       if (choose.one_in(3)) return elsewhere(t, choose);
       return choose.one_in(2) ? grow(t, 0, choose.of({-1, 1})) : other_dtype(t, choose);
     }},
    {"fault.no_overlap",
     [](Call& c, Choices& choose) {
       const TensorSpec& read = c.values[choose.of({kQkv, kA, kDtBias})].tensor;
       if (c.values[kFault].absent || is_empty(read) || read.offset != 0) return false;
       c.values[kFault].tensor.buffer = read.buffer;
       return true;
     }},
});

// What generic code takes from this file.
struct Cases {
  static constexpr const auto& kCases = kda_replayssm::kCases;
  static constexpr const auto& kViolations = kda_replayssm::kViolations;
  static Call make_call(const Case& of) { return kda_replayssm::make_call(of); }
  static Case draw_case(Choices& choose) { return kda_replayssm::draw_case(choose); }
};

}  // namespace prelaunch::kda_replayssm
