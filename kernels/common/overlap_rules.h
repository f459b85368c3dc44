// The rules that every op with more than one written tensor has: what is written shares no byte
// with any other argument. An op whose page splits that into several rules names the tensors that
// each is about:
//
//   first_written_overlap<Op>(a)                                      // all in one rule
//   first_written_overlap<Op, tensors_named<Op>("k_out", "v_out"),    // the outputs, with all but
//                         ~tensors_named<Op>("fault")>(a)             // the fault word
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kernels/common/contract.h"
#include "kernels/common/overlap.h"

namespace prelaunch {

// Some of an op's tensors: bit i for the i-th tensor of its field list.
using TensorSet = std::uint32_t;
inline constexpr TensorSet kAllTensors = ~TensorSet{0};

// Does not compile for a name that is no tensor's.
template <class Op, class... Names>
consteval TensorSet tensors_named(Names... names) {
  TensorSet set = 0;
  for (const std::string_view name : {std::string_view(names)...}) {
    std::size_t tensor = 0;
    bool found = false;
    for (const auto& field : Op::kFields) {
      if (!field.is_tensor()) continue;
      if (field.name == name) {
        set |= TensorSet{1} << tensor;
        found = true;
      }
      ++tensor;
    }
    if (!found) throw "no such tensor";
  }
  return set;
}

namespace detail {

template <class Op>
inline constexpr auto kTensorMembers = [] {
  using Member = TensorView Op::Args::*;
  std::array<Member, kTensors<Op>> out{};
  std::size_t i = 0;
  for (const auto& field : Op::kFields) {
    if (const auto* member = std::get_if<Member>(&field.member)) out[i++] = *member;
  }
  return out;
}();

template <class Op>
inline constexpr auto kIsWritten = [] {
  std::array<bool, kTensors<Op>> out{};
  std::size_t i = 0;
  for (const auto& field : Op::kFields) {
    if (field.is_tensor()) out[i++] = field.written();
  }
  return out;
}();

template <class Op, std::size_t kTensor>
PRELAUNCH_RULE constexpr const TensorView& tensor_of(const typename Op::Args& args) {
  return args.*kTensorMembers<Op>[kTensor];
}

// Whether a rule about `kWritten` and `kOthers` looks at this pair, in this order: the first is
// written, and the pair is not looked at the other way round.
template <class Op, TensorSet kWritten, TensorSet kOthers>
constexpr bool looks_at(std::size_t written, std::size_t other) {
  const auto in_order = [](std::size_t a, std::size_t b) {
    return a != b && kIsWritten<Op>[a] && (kWritten >> a & 1) != 0 && (kOthers >> b & 1) != 0;
  };
  return in_order(written, other) && !(other < written && in_order(other, written));
}

// Whether the extents of two different tensors meet, one of which is written. A tensor without
// elements may seem to.
template <class Op, TensorSet kWritten, TensorSet kOthers, std::size_t kFirst, std::size_t kSecond>
PRELAUNCH_RULE constexpr bool extents_meet(const typename Op::Args& args) {
  if constexpr (looks_at<Op, kWritten, kOthers>(kFirst, kSecond)) {
    const TensorView &a = tensor_of<Op, kFirst>(args), &b = tensor_of<Op, kSecond>(args);
    return static_cast<bool>(static_cast<int>(a.address < b.end()) &
                             static_cast<int>(b.address < a.end()));
  } else {
    return false;
  }
}

// The same for all pairs, with one branch: unrolled, because loops would stay loops.
template <class Op, TensorSet kWritten, TensorSet kOthers>
PRELAUNCH_RULE constexpr bool any_extents_meet(const typename Op::Args& args) {
  return [&]<std::size_t... kPair>(std::index_sequence<kPair...>) PRELAUNCH_RULE {
    return static_cast<bool>((
        static_cast<int>(
            extents_meet<Op, kWritten, kOthers, kPair / kTensors<Op>, kPair % kTensors<Op>>(args)) |
        ...));
  }(std::make_index_sequence<kTensors<Op> * kTensors<Op>>());
}

// The pairs that such a rule looks at, in field order of the written one.
template <class Op, TensorSet kWritten, TensorSet kOthers>
inline constexpr auto kPairs = [] {
  constexpr auto visit = [](auto take) {
    for (std::size_t w = 0; w < kTensors<Op>; ++w) {
      for (std::size_t i = 0; i < kTensors<Op>; ++i) {
        if (looks_at<Op, kWritten, kOthers>(w, i)) take(w, i);
      }
    }
  };
  constexpr std::size_t kCount = [visit] {
    std::size_t count = 0;
    visit([&count](std::size_t, std::size_t) { ++count; });
    return count;
  }();
  using Member = TensorView Op::Args::*;
  std::array<std::array<Member, 2>, kCount> out{};
  std::size_t next = 0;
  visit([&](std::size_t w, std::size_t i) {
    out[next++] = {kTensorMembers<Op>[w], kTensorMembers<Op>[i]};
  });
  return out;
}();

}  // namespace detail

// The first tensor of `kWritten` that is written, in field order, and shares a byte with another
// one of `kOthers`, or for which that is not decided; null when there is none.
template <class Op, TensorSet kWritten = kAllTensors, TensorSet kOthers = kAllTensors>
PRELAUNCH_RULE inline const TensorView* first_written_overlap(const typename Op::Args& args) {
  if (!detail::any_extents_meet<Op, kWritten, kOthers>(args)) return nullptr;
  for (const auto& [written, other] : detail::kPairs<Op, kWritten, kOthers>) {
    if (overlap(args.*written, args.*other) != Overlap::kDisjoint) return &(args.*written);
  }
  return nullptr;
}

}  // namespace prelaunch
