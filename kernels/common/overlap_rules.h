// The rule that every op with more than one written tensor has: what is written shares no byte with
// any other argument.
#pragma once

#include <array>

#include "kernels/common/contract.h"
#include "kernels/common/overlap.h"

namespace prelaunch {
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

// Whether the extents of two different tensors meet, one of which is written. A tensor without
// elements may seem to.
template <class Op, std::size_t kWritten, std::size_t kOther>
PRELAUNCH_RULE constexpr bool extents_meet(const typename Op::Args& args) {
  constexpr bool kCountedBefore = kOther <= kWritten && kIsWritten<Op>[kOther];
  if constexpr (kIsWritten<Op>[kWritten] && !kCountedBefore) {
    const TensorView &a = tensor_of<Op, kWritten>(args), &b = tensor_of<Op, kOther>(args);
    return static_cast<bool>(static_cast<int>(a.address < b.end()) &
                             static_cast<int>(b.address < a.end()));
  } else {
    return false;
  }
}

// The same for all pairs, with one branch: unrolled, because loops would stay loops.
template <class Op>
PRELAUNCH_RULE constexpr bool any_extents_meet(const typename Op::Args& args) {
  return [&]<std::size_t... kPair>(std::index_sequence<kPair...>) PRELAUNCH_RULE {
    return static_cast<bool>(
        (static_cast<int>(extents_meet<Op, kPair / kTensors<Op>, kPair % kTensors<Op>>(args)) |
         ...));
  }(std::make_index_sequence<kTensors<Op> * kTensors<Op>>());
}

}  // namespace detail

// The first written tensor, in field order, that shares a byte with another argument, or for which
// that is not decided; null when there is none.
template <class Op>
PRELAUNCH_RULE inline const TensorView* first_written_overlap(const typename Op::Args& args) {
  if (!detail::any_extents_meet<Op>(args)) return nullptr;
  constexpr std::size_t kCount = detail::kTensors<Op>;
  for (std::size_t w = 0; w < kCount; ++w) {
    const TensorView& written = args.*detail::kTensorMembers<Op>[w];
    for (std::size_t i = 0; i < kCount && detail::kIsWritten<Op>[w]; ++i) {
      const TensorView& other = args.*detail::kTensorMembers<Op>[i];
      if (i != w && overlap(written, other) != Overlap::kDisjoint) return &written;
    }
  }
  return nullptr;
}

}  // namespace prelaunch
