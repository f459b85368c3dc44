// The cases of dflash_greedy; see kernels/ulysses_pack/cases.h for what each part is for.
#pragma once

#include <array>
#include <string_view>

#include "kernels/common/call.h"
#include "kernels/common/choices.h"
#include "kernels/common/violation.h"
#include "kernels/dflash_greedy/dflash_greedy.h"

namespace prelaunch::dflash_greedy {

enum class Layout : std::uint8_t {
  kContiguous,
  kColumns,    // [n, bs] transposed
  kPadded,     // columns of a wider table, every other one
  kBroadcast,  // one row for all: stride 0
};

enum class Out : std::uint8_t { kGiven, kAbsent, kBonusOnly };

struct Case {
  std::string_view name;
  std::int64_t bs, n;
  Dtype candidates = kInt64, target = kInt64;
  Layout layout = Layout::kContiguous;
  Out out = Out::kGiven;
};

inline constexpr auto kCases = std::to_array<Case>({
    // Real shapes.
    {"bs1_n8", 1, 8},
    {"bs8_n16", 8, 16},
    {"bs32_n8", 32, 8},
    {"bs128_n16", 128, 16},
    {"bs128_n16_i32", 128, 16, kInt32, kInt32},
    // Small ones, each for a path.
    {"no_draft", 3, 1},
    {"one_draft", 3, 2, kInt32, kInt64},
    {"a_warp_and_more", 5, 34, kInt64, kInt32},
    {"many_drafts", 2, 1000},
    {"columns", 4, 7, kInt32, kInt32, Layout::kColumns},
    {"padded", 4, 6, kInt64, kInt64, Layout::kPadded},
    {"broadcast", 6, 5, kInt64, kInt64, Layout::kBroadcast},
    {"outputs_absent", 4, 6, kInt64, kInt64, Layout::kContiguous, Out::kAbsent},
    {"accept_len_absent", 4, 6, kInt32, kInt32, Layout::kPadded, Out::kBonusOnly},
});

inline constexpr std::size_t kCandidates = field_index<Op>("candidates"),
                             kTarget = field_index<Op>("target_predict"),
                             kAcceptLen = field_index<Op>("accept_len"),
                             kBonus = field_index<Op>("bonus");

inline TensorSpec tokens_spec(const Case& of, Dtype dtype, std::size_t field) {
  TensorSpec t = compact(dtype, cuda(0), static_cast<std::uint8_t>(field), {of.bs, of.n});
  switch (of.layout) {
    case Layout::kContiguous:
      break;
    case Layout::kColumns:
      t.strides[0] = 1;
      t.strides[1] = of.bs;
      break;
    case Layout::kPadded:
      t.strides[0] = 2 * of.n + 3;
      t.strides[1] = 2;
      break;
    case Layout::kBroadcast:
      t.strides[0] = 0;
      break;
  }
  return t;
}

// A valid call.
inline Call make_call(const Case& of) {
  Call call;
  call.values[kCandidates].tensor = tokens_spec(of, of.candidates, kCandidates);
  call.values[kTarget].tensor = tokens_spec(of, of.target, kTarget);
  call.values[kAcceptLen].tensor = compact(kInt32, cuda(0), kAcceptLen, {of.bs});
  call.values[kBonus].tensor = compact(kInt64, cuda(0), kBonus, {of.bs});
  call.values[kAcceptLen].absent = of.out != Out::kGiven;
  call.values[kBonus].absent = of.out == Out::kAbsent;
  return call;
}

// A random small case. Every draw is valid.
inline Case draw_case(Choices& choose) {
  return {.name = "drawn",
          .bs = choose.between(1, 6),
          .n = choose.one_in(8) ? choose.between(30, 70) : choose.between(1, 9),
          .candidates = choose.of({kInt32, kInt64}),
          .target = choose.of({kInt32, kInt64}),
          .layout = choose.of(
              {Layout::kContiguous, Layout::kColumns, Layout::kPadded, Layout::kBroadcast}),
          .out = choose.of({Out::kGiven, Out::kGiven, Out::kAbsent, Out::kBonusOnly})};
}

// Every request reads the same tokens, so a batch of any size needs little memory.
inline void make_batch(Call& c, std::int64_t bs) {
  for (const std::size_t i : {kCandidates, kTarget}) {
    c.values[i].tensor.shape[0] = bs;
    c.values[i].tensor.strides[0] = 0;
  }
}

// For each rule of the op's own: one edit that breaks it, and none before it.
inline constexpr auto kViolations = std::to_array<Violation>({
    {"candidates.rank",
     [](Call& c, Choices&) { return drop_last_dim(c.values[kCandidates].tensor); }},
    {"target_predict.shape",
     [](Call& c, Choices& choose) {
       c.values[kTarget].tensor.shape[static_cast<std::size_t>(choose.below(2))] += 1;
       return true;
     }},
    {"target_predict.shape",
     [](Call& c, Choices&) { return drop_last_dim(c.values[kTarget].tensor); }},
    {"batch.positive",
     [](Call& c, Choices&) {
       for (const std::size_t i : {kCandidates, kTarget}) c.values[i].tensor.shape[0] = 0;
       return true;
     }},
    {"block_size.positive",
     [](Call& c, Choices&) {
       for (const std::size_t i : {kCandidates, kTarget}) c.values[i].tensor.shape[1] = 0;
       return true;
     }},
    {"block_size.limit",
     [](Call& c, Choices&) {
       // One token, over and over.
       for (const std::size_t i : {kCandidates, kTarget}) {
         c.values[i].tensor.shape[1] = (std::int64_t{1} << 31) + 1;
         c.values[i].tensor.strides[1] = 0;
         c.values[i].tensor.null_strides = false;
       }
       return true;
     }},
    {"target_predict.device",
     [](Call& c, Choices& choose) {
       Device& device = c.values[kTarget].tensor.device;
       device = choose.of({cuda(device.index ^ 1), kCpuDevice});
       return true;
     }},
    {"inputs.cuda",
     [](Call& c, Choices& choose) {
       const DeviceType type = choose.of(
           {DeviceType::kCpu, DeviceType::kCudaHost, DeviceType::kCudaManaged, DeviceType::kRocm});
       for (const std::size_t i : {kCandidates, kTarget}) c.values[i].tensor.device.type = type;
       return true;
     }},
    {"candidates.dtype",
     [](Call& c, Choices& choose) { return other_dtype(c.values[kCandidates].tensor, choose); }},
    {"target_predict.dtype",
     [](Call& c, Choices& choose) { return other_dtype(c.values[kTarget].tensor, choose); }},
    {"bonus.size",
     [](Call& c, Choices&) {
       c = make_call({"", 1, 1, kInt32, kInt32, Layout::kBroadcast, Out::kAbsent});
       make_batch(c, std::int64_t{1} << 60);
       return true;
     }},
    {"accept_len.matches",
     [](Call& c, Choices& choose) {
       if (c.values[kAcceptLen].absent) return false;
       c.values[kAcceptLen].tensor.shape[0] += choose.of({-1, 1});
       return true;
     }},
    {"accept_len.matches",
     [](Call& c, Choices& choose) {
       return !c.values[kAcceptLen].absent && other_dtype(c.values[kAcceptLen].tensor, choose);
     }},
    {"bonus.matches",
     [](Call& c, Choices&) {
       if (c.values[kBonus].absent) return false;
       c.values[kBonus].tensor.device.index ^= 1;
       return true;
     }},
    {"bonus.matches",
     [](Call& c, Choices&) {
       if (c.values[kBonus].absent) return false;
       return change_inner_stride(c.values[kBonus].tensor, 2);
     }},
    {"outputs.no_overlap",
     [](Call& c, Choices& choose) {
       if (c.values[kBonus].absent) return false;
       TensorSpec& bonus = c.values[kBonus].tensor;
       const TensorSpec& input = c.values[choose.of({kCandidates, kTarget})].tensor;
       bonus.buffer = input.buffer;
       bonus.offset = input.offset;
       return true;
     }},
    {"outputs.no_overlap",
     [](Call& c, Choices&) {
       if (c.values[kAcceptLen].absent) return false;
       c.values[kAcceptLen].tensor.buffer = kBonus;
       return true;
     }},
});

// What generic code takes from this file.
struct Cases {
  static constexpr const auto& kCases = dflash_greedy::kCases;
  static constexpr const auto& kViolations = dflash_greedy::kViolations;
  static Call make_call(const Case& of) { return dflash_greedy::make_call(of); }
  static Case draw_case(Choices& choose) { return dflash_greedy::draw_case(choose); }
};

}  // namespace prelaunch::dflash_greedy
