// A made-up op for the unit tests of what works on any op: every kind of field, rules of both
// kinds.
#pragma once

#include "kernels/common/contract.h"
#include "kernels/common/predicates.h"

namespace prelaunch::sample {

struct Args {
  TensorView x;  // [n], on a CUDA device
  std::int64_t count = 1;
  float scale = 1;
  bool flag = false;
  std::optional<float> limit;
  TensorView y;    // like x, in place
  TensorView out;  // [count, ...], may be absent
};

struct Op {
  using Args = sample::Args;
  static constexpr std::string_view kName = "sample";
  static constexpr auto kFields = std::to_array<Field<Args>>({
      {"x", Role::kInput, &Args::x},
      {"count", &Args::count},
      {"scale", &Args::scale},
      {"flag", &Args::flag},
      {"limit", &Args::limit},
      {"y", Role::kInPlace, &Args::y},
      {"out", Role::kOutput, &Args::out, kOptional},
  });
};

}  // namespace prelaunch::sample

namespace prelaunch {

template <>
inline constexpr auto kRules<sample::Op> = contract<sample::Op>(std::to_array<Rule<sample::Args>>({
    {"xy.same_shape", kSemantics, "x and y must have one shape, got {x.shape} and {y.shape}",
     [](const sample::Args& a) PRELAUNCH_RULE {
       const auto like_x = [&a](const TensorView& t) { return same_shape(t, a.x); };
       return first_not(like_x, a.x, a.y);
     }},
    {"xy.cuda", kSafety, "x and y must be CUDA tensors, got {device}",
     [](const sample::Args& a) PRELAUNCH_RULE { return first_not(on_cuda, a.x, a.y); }},
    {"count.positive", kPolicy, "count must be positive, got {count}",
     [](const sample::Args& a) PRELAUNCH_RULE { return a.count > 0; }, "zero rows are absent"},
    {"limit.range", kSafety, "limit must be positive, got {limit}",
     [](const sample::Args& a) PRELAUNCH_RULE { return !a.limit || *a.limit > 0; }},
    {"out.rows", kSafety, "out must have {count} rows, got shape={shape}",
     [](const sample::Args& a)
         PRELAUNCH_RULE { return !a.out.given || (a.out.rank > 0 && a.out.shape[0] == a.count); }},
    {"out.no_self_overlap", kSafety, "out must address every element once",
     [](const sample::Args& a)
         PRELAUNCH_RULE { return self_overlap(a.out) == Overlap::kDisjoint; }},
    {"out.no_overlap", kSafety, "out must not overlap x or y",
     [](const sample::Args& a)
         PRELAUNCH_RULE { return disjoint(a.out, a.x) && disjoint(a.out, a.y); }},
}));

}  // namespace prelaunch
