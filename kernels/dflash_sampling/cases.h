// The cases of dflash_sampling; see kernels/ulysses_pack/cases.h for what each part is for.
#pragma once

#include <array>
#include <limits>
#include <string_view>

#include "kernels/common/call.h"
#include "kernels/common/choices.h"
#include "kernels/common/violation.h"
#include "kernels/dflash_sampling/dflash_sampling.h"

namespace prelaunch::dflash_sampling {

enum class Layout : std::uint8_t {
  kContiguous,
  kSlice,      // of wider tables: room behind every row, every other column where that is allowed
  kColumns,    // [n, bs] transposed; logits contiguous
  kBroadcast,  // one row for all: stride 0
  kShifted,    // logits one element off the buffer's start: no 16-byte alignment
};
enum class Filter : std::uint8_t { kNone, kTopK, kTopP, kBoth };
enum class Out : std::uint8_t { kGiven, kAbsent, kBonusOnly };
enum class Word : std::uint8_t { kScalar, kVector, kAbsent };

struct Case {
  std::string_view name;
  std::int64_t bs, n, vocab;
  Dtype logits = kBfloat16;
  Filter filter = Filter::kNone;
  Layout layout = Layout::kContiguous;
  Dtype token = kInt64;
  Out out = Out::kGiven;
  Word fault = Word::kScalar;
  bool column_of_temperatures = false;
  float threshold_single = 1, threshold_acc = 1;
};

inline constexpr auto kCases = std::to_array<Case>({
    // Real shapes.
    {"bs1_n8_v151936", 1, 8, 151936},
    {"bs8_n16_v151936", 8, 16, 151936},
    {"bs32_n8_v128256_f32", 32, 8, 128256, kFloat32},
    {"bs32_n16_v151936", 32, 16, 151936},
    {"bs32_n16_v151936_top_k", 32, 16, 151936, kBfloat16, Filter::kTopK},
    {"bs32_n16_v151936_top_p", 32, 16, 151936, kBfloat16, Filter::kTopP},
    {"bs32_n16_v151936_both", 32, 16, 151936, kBfloat16, Filter::kBoth},
    {"bs128_n8_v32000", 128, 8, 32000},
    {"bs128_n16_v128256_f32_both", 128, 16, 128256, kFloat32, Filter::kBoth},
    // Small ones, each for a path.
    {"no_draft", 3, 1, 20},
    {"one_draft", 3, 2, 20, kFloat32},
    {"one_token", 2, 3, 1, kFloat16, Filter::kBoth},
    {"two_tokens", 2, 3, 2, kFloat16, Filter::kTopP},
    {"vectors", 2, 3, 64},
    {"vectors_f32", 2, 3, 64, kFloat32, Filter::kTopK},
    {"vectors_f16", 2, 3, 64, kFloat16, Filter::kTopP},
    {"part_of_a_vector", 2, 2, 61, kBfloat16, Filter::kBoth, Layout::kSlice},
    {"tiles", 1, 2, 1300, kBfloat16, Filter::kTopP},
    {"tiles_f32", 1, 2, 1300, kFloat32, Filter::kTopK},
    {"slice", 3, 2, 33, kFloat32, Filter::kBoth, Layout::kSlice, kInt32},
    {"columns", 4, 3, 9, kFloat16, Filter::kTopK, Layout::kColumns, kInt32},
    {"broadcast", 4, 3, 16, kBfloat16, Filter::kTopP, Layout::kBroadcast},
    {"shifted", 2, 3, 40, kBfloat16, Filter::kNone, Layout::kShifted},
    {"many_drafts", 1, 70, 8, kFloat32},
    {"column_of_temperatures", 3, 2, 12, kFloat32, Filter::kNone, Layout::kSlice, kInt64,
     Out::kGiven, Word::kVector, true},
    {"outputs_absent", 3, 2, 12, kBfloat16, Filter::kBoth, Layout::kContiguous, kInt64,
     Out::kAbsent, Word::kVector},
    {"accept_len_absent", 3, 2, 12, kBfloat16, Filter::kNone, Layout::kContiguous, kInt32,
     Out::kBonusOnly, Word::kAbsent},
    {"generous", 3, 4, 12, kBfloat16, Filter::kNone, Layout::kContiguous, kInt64, Out::kGiven,
     Word::kScalar, false, 0.125f, 0.5f},
    {"thresholds_of_0", 3, 4, 12, kBfloat16, Filter::kTopK, Layout::kContiguous, kInt64,
     Out::kGiven, Word::kScalar, false, 0, 0},
});

inline constexpr std::size_t kCandidates = field_index<Op>("candidates"),
                             kLogits = field_index<Op>("next_token_logits"),
                             kTemperatures = field_index<Op>("temperatures"),
                             kTopKs = field_index<Op>("top_ks"), kTopPs = field_index<Op>("top_ps"),
                             kCoins = field_index<Op>("uniform_samples"),
                             kFinalCoins = field_index<Op>("uniform_samples_for_final_sampling"),
                             kThresholdSingle = field_index<Op>("threshold_single"),
                             kThresholdAcc = field_index<Op>("threshold_acc"),
                             kAcceptLen = field_index<Op>("accept_len"),
                             kBonus = field_index<Op>("bonus"), kFault = field_index<Op>("fault");

// candidates or uniform_samples.
inline TensorSpec table_spec(const Case& of, Dtype dtype, std::size_t field) {
  TensorSpec t = compact(dtype, cuda(0), static_cast<std::uint8_t>(field), {of.bs, of.n});
  if (of.layout == Layout::kSlice) t.strides = {2 * of.n + 3, 2};
  if (of.layout == Layout::kColumns) t.strides = {1, of.bs};
  if (of.layout == Layout::kBroadcast) t.strides[0] = 0;
  return t;
}

// A parameter of each request.
inline TensorSpec parameter_spec(const Case& of, Dtype dtype, std::size_t field) {
  TensorSpec t = compact(dtype, cuda(0), static_cast<std::uint8_t>(field), {of.bs});
  if (of.layout == Layout::kSlice) t.strides[0] = 3;
  if (of.layout == Layout::kBroadcast) t.strides[0] = 0;
  return t;
}

inline TensorSpec logits_spec(const Case& of) {
  TensorSpec t = compact(of.logits, cuda(0), kLogits, {of.bs * of.n, of.vocab});
  // Up to the next multiple of 16 bytes, and one such more.
  if (of.layout == Layout::kSlice) t.strides[0] = of.vocab / 8 * 8 + 16;
  if (of.layout == Layout::kBroadcast) t.strides[0] = 0;
  if (of.layout == Layout::kShifted) t.offset = static_cast<std::uint64_t>(of.logits.bytes());
  return t;
}

// A valid call.
inline Call make_call(const Case& of) {
  Call call;
  auto& values = call.values;
  values[kCandidates].tensor = table_spec(of, of.token, kCandidates);
  values[kLogits].tensor = logits_spec(of);
  values[kTemperatures].tensor = parameter_spec(of, kFloat32, kTemperatures);
  if (of.column_of_temperatures) {
    TensorSpec& t = values[kTemperatures].tensor;
    t.rank = 2;
    t.shape[1] = 1;
    t.strides[1] = 77;  // means nothing
  }
  values[kTopKs].tensor = parameter_spec(of, of.token, kTopKs);
  values[kTopKs].absent = of.filter == Filter::kNone || of.filter == Filter::kTopP;
  values[kTopPs].tensor = parameter_spec(of, kFloat32, kTopPs);
  values[kTopPs].absent = of.filter == Filter::kNone || of.filter == Filter::kTopK;
  values[kCoins].tensor = table_spec(of, kFloat32, kCoins);
  values[kFinalCoins].tensor = parameter_spec(of, kFloat32, kFinalCoins);
  values[kThresholdSingle].real = of.threshold_single;
  values[kThresholdAcc].real = of.threshold_acc;
  values[kAcceptLen].tensor = compact(kInt32, cuda(0), kAcceptLen, {of.bs});
  values[kBonus].tensor = compact(kInt64, cuda(0), kBonus, {of.bs});
  values[kAcceptLen].absent = of.out != Out::kGiven;
  values[kBonus].absent = of.out == Out::kAbsent;
  TensorSpec& fault = values[kFault].tensor;
  fault = compact(kUInt64, cuda(0), kFault, {1});
  if (of.fault != Word::kVector) drop_last_dim(fault);
  values[kFault].absent = of.fault == Word::kAbsent;
  return call;
}

// A random small case. Every draw is valid.
inline Case draw_case(Choices& choose) {
  const bool tiles = choose.one_in(16);
  return {.name = "drawn",
          .bs = tiles ? 1 : choose.between(1, 3),
          .n = tiles ? choose.between(1, 2) : choose.between(1, 4),
          .vocab = tiles              ? choose.between(500, 1100)
                   : choose.one_in(4) ? 8 * choose.between(1, 8)
                                      : choose.between(1, 40),
          .logits = choose.of({kBfloat16, kFloat16, kFloat32}),
          .filter = choose.of({Filter::kNone, Filter::kNone, Filter::kNone, Filter::kTopK,
                               Filter::kTopP, Filter::kBoth}),
          .layout = choose.of({Layout::kContiguous, Layout::kSlice, Layout::kColumns,
                               Layout::kBroadcast, Layout::kShifted}),
          .token = choose.of({kInt32, kInt64}),
          .out = choose.of({Out::kGiven, Out::kGiven, Out::kAbsent, Out::kBonusOnly}),
          .fault = choose.of({Word::kScalar, Word::kScalar, Word::kVector, Word::kAbsent}),
          .column_of_temperatures = choose.one_in(4),
          .threshold_single = choose.of({1.0f, 1.0f, 0.5f, 0.0f}),
          .threshold_acc = choose.of({1.0f, 1.0f, 0.25f, 0.0f})};
}

// Every request reads the same numbers, so a batch of any size needs little memory.
inline void make_batch(Call& c, std::int64_t bs) {
  for (const std::size_t i :
       {kCandidates, kLogits, kTemperatures, kTopKs, kTopPs, kCoins, kFinalCoins}) {
    TensorSpec& t = c.values[i].tensor;
    t.shape[0] = i == kLogits ? bs * c.values[kCandidates].tensor.shape[1] : bs;
    t.strides[0] = 0;
  }
}

// Edits of one argument that several rules' edits share; false where it is absent.
template <std::size_t kField>
bool put_elsewhere(Call& c, Choices& choose) {
  if (c.values[kField].absent) return false;
  Device& device = c.values[kField].tensor.device;
  device = choose.of({cuda(device.index ^ 1), kCpuDevice});
  return true;
}
template <std::size_t kField>
bool resize(Call& c, Choices& choose) {
  if (c.values[kField].absent) return false;
  c.values[kField].tensor.shape[0] += choose.of({-1, 1});
  return true;
}
template <std::size_t kField>
bool flatten(Call& c, Choices&) {
  return !c.values[kField].absent && drop_last_dim(c.values[kField].tensor);
}
template <std::size_t kField>
bool retype(Call& c, Choices& choose) {
  return !c.values[kField].absent && other_dtype(c.values[kField].tensor, choose);
}

// For each rule of the op's own: one edit that breaks it, and none before it.
inline constexpr auto kViolations = std::to_array<Violation>({
    {"candidates.rank", flatten<kCandidates>},
    {"next_token_logits.rank", flatten<kLogits>},
    {"batch.positive",
     [](Call& c, Choices&) {
       c.values[kCandidates].tensor.shape[0] = 0;
       return true;
     }},
    {"draft_token_num.positive",
     [](Call& c, Choices&) {
       c.values[kCandidates].tensor.shape[1] = 0;
       return true;
     }},
    {"draft_token_num.limit",
     [](Call& c, Choices& choose) {
       c.values[kCandidates].tensor.shape[1] = choose.of({1025, 1 << 20});
       return true;
     }},
    {"next_token_logits.rows",
     [](Call& c, Choices& choose) {
       c.values[kLogits].tensor.shape[0] += choose.of({-1, 1});
       return true;
     }},
    {"next_token_logits.device", put_elsewhere<kLogits>},
    {"uniform_samples.shape",
     [](Call& c, Choices& choose) {
       c.values[kCoins].tensor.shape[static_cast<std::size_t>(choose.below(2))] += 1;
       return true;
     }},
    {"uniform_samples.shape", flatten<kCoins>},
    {"uniform_samples_for_final_sampling.shape", resize<kFinalCoins>},
    {"uniform_samples_for_final_sampling.shape", flatten<kFinalCoins>},
    {"vocab.positive",
     [](Call& c, Choices&) {
       c.values[kLogits].tensor.shape[1] = 0;
       return true;
     }},
    {"temperatures.shape", resize<kTemperatures>},
    {"temperatures.shape",
     [](Call& c, Choices& choose) {
       TensorSpec& t = c.values[kTemperatures].tensor;
       t.rank = 2;
       t.shape[1] = choose.of({0, 2});
       t.strides[1] = 0;
       return true;
     }},
    {"top_ks.shape", resize<kTopKs>},
    {"top_ks.shape", flatten<kTopKs>},
    {"top_ps.shape", resize<kTopPs>},
    {"top_ps.shape", flatten<kTopPs>},
    {"inputs.cuda",
     [](Call& c, Choices& choose) {
       const DeviceType type = choose.of(
           {DeviceType::kCpu, DeviceType::kCudaHost, DeviceType::kCudaManaged, DeviceType::kRocm});
       for (std::size_t i = 0; i < Op::kFields.size(); ++i) c.values[i].tensor.device.type = type;
       return true;
     }},
    {"temperatures.device", put_elsewhere<kTemperatures>},
    {"top_ks.device", put_elsewhere<kTopKs>},
    {"top_ps.device", put_elsewhere<kTopPs>},
    {"uniform_samples.device", put_elsewhere<kCoins>},
    {"uniform_samples_for_final_sampling.device", put_elsewhere<kFinalCoins>},
    {"candidates.dtype", retype<kCandidates>},
    {"next_token_logits.dtype", retype<kLogits>},
    {"temperatures.dtype", retype<kTemperatures>},
    {"top_ks.dtype", retype<kTopKs>},
    {"top_ps.dtype", retype<kTopPs>},
    {"uniform_samples.dtype", retype<kCoins>},
    {"uniform_samples_for_final_sampling.dtype", retype<kFinalCoins>},
    {"next_token_logits.inner_contiguous",
     [](Call& c, Choices& choose) {
       return change_inner_stride(c.values[kLogits].tensor, choose.of({0, 2, 3}));
     }},
    {"thresholds.range",
     [](Call& c, Choices& choose) {
       c.values[choose.of({kThresholdSingle, kThresholdAcc})].real =
           choose.of({-0.25f, 1.0001f, std::numeric_limits<float>::quiet_NaN(),
                      std::numeric_limits<float>::infinity()});
       return true;
     }},
    {"bonus.size",
     [](Call& c, Choices&) {
       c = make_call({.name = "",
                      .bs = 1,
                      .n = 1,
                      .vocab = 1,
                      .token = kInt32,
                      .out = Out::kAbsent});
       make_batch(c, std::int64_t{1} << 60);
       return true;
     }},
    {"accept_len.matches",
     [](Call& c, Choices& choose) {
       if (c.values[kAcceptLen].absent) return false;
       c.values[kAcceptLen].tensor.shape[0] += choose.of({-1, 1});
       return true;
     }},
    {"accept_len.matches", retype<kAcceptLen>},
    {"bonus.matches", put_elsewhere<kBonus>},
    {"bonus.matches",
     [](Call& c, Choices&) {
       return !c.values[kBonus].absent && change_inner_stride(c.values[kBonus].tensor, 2);
     }},
    {"outputs.no_overlap",
     [](Call& c, Choices& choose) {
       if (c.values[kBonus].absent) return false;
       // Each begins where its buffer does.
       c.values[kBonus].tensor.buffer =
           c.values[choose.of({kCandidates, kTemperatures, kCoins, kFinalCoins})].tensor.buffer;
       return true;
     }},
    {"outputs.no_overlap",
     [](Call& c, Choices& choose) {
       const std::size_t other = choose.of({kBonus, kFault});
       if (c.values[kAcceptLen].absent || c.values[other].absent) return false;
       c.values[kAcceptLen].tensor.buffer = c.values[other].tensor.buffer;
       return true;
     }},
    {"fault.matches", put_elsewhere<kFault>},
    {"fault.matches",
     [](Call& c, Choices& choose) {
       return !c.values[kFault].absent && other_dtype(c.values[kFault].tensor, choose);
     }},
    {"fault.matches",
     [](Call& c, Choices& choose) {
       if (c.values[kFault].absent) return false;
       // Two elements, or one of two dimensions.
       TensorSpec& t = c.values[kFault].tensor;
       t.rank = static_cast<std::int32_t>(choose.between(1, 2));
       t.shape = {t.rank == 1 ? 2 : 1, t.rank == 1 ? 0 : 1};
       t.strides = {1, t.rank == 1 ? 0 : 1};
       return true;
     }},
    // A rule of the well-formed ones: no stride of a fault word that is accepted means anything, so
    // it takes another shape to break it.
    {"fault.strides",
     [](Call& c, Choices&) {
       if (c.values[kFault].absent) return false;
       TensorSpec& t = c.values[kFault].tensor;
       t.rank = 1;
       t.null_strides = false;
       t.shape[0] = 2;
       t.strides[0] = -1;
       return true;
     }},
    {"fault.no_overlap",
     [](Call& c, Choices& choose) {
       if (c.values[kFault].absent) return false;
       c.values[kFault].tensor.buffer =
           c.values[choose.of({kCandidates, kTemperatures, kCoins, kFinalCoins})].tensor.buffer;
       return true;
     }},
});

// What generic code takes from this file.
struct Cases {
  static constexpr const auto& kCases = dflash_sampling::kCases;
  static constexpr const auto& kViolations = dflash_sampling::kViolations;
  static Call make_call(const Case& of) { return dflash_sampling::make_call(of); }
  static Case draw_case(Choices& choose) { return dflash_sampling::draw_case(choose); }
};

}  // namespace prelaunch::dflash_sampling
