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

PRELAUNCH_RULE constexpr bool extents_meet(const TensorView& a, const TensorView& b) {
  return static_cast<bool>(static_cast<int>(a.address < b.end()) &
                           static_cast<int>(b.address < a.end()));
}

// Whether tensor kTensor is the member kMember of the arguments.
template <class Op, std::size_t kTensor, auto kMember>
inline constexpr bool kIsMember = [] {
  if constexpr (std::is_null_pointer_v<decltype(kMember)>) {
    return false;
  } else {
    return kTensorMembers<Op>[kTensor] == kMember;
  }
}();

// Whether the extents of a written tensor and another one meet, each pair looked at once. A tensor
// without elements may seem to.
template <class Op, std::size_t kWritten, std::size_t kOther, auto kExcept>
PRELAUNCH_RULE constexpr bool written_meets(const typename Op::Args& args) {
  constexpr bool kCountedBefore = kOther <= kWritten && kIsWritten<Op>[kOther];
  constexpr bool kLeftOut = kIsMember<Op, kWritten, kExcept> || kIsMember<Op, kOther, kExcept>;
  if constexpr (kIsWritten<Op>[kWritten] && !kCountedBefore && !kLeftOut) {
    return extents_meet(tensor_of<Op, kWritten>(args), tensor_of<Op, kOther>(args));
  } else {
    return false;
  }
}

// The same for all pairs, with one branch: unrolled, because loops would stay loops.
template <class Op, auto kExcept>
PRELAUNCH_RULE constexpr bool any_written_meets(const typename Op::Args& args) {
  return [&]<std::size_t... kPair>(std::index_sequence<kPair...>) PRELAUNCH_RULE {
    return static_cast<bool>(
        (static_cast<int>(
             written_meets<Op, kPair / kTensors<Op>, kPair % kTensors<Op>, kExcept>(args)) |
         ...));
  }(std::make_index_sequence<kTensors<Op> * kTensors<Op>>());
}

// Whether the extents of tensor `view` and any other argument meet.
template <class Op>
PRELAUNCH_RULE constexpr bool meets_any(const typename Op::Args& args, const TensorView& view) {
  return [&]<std::size_t... kTensor>(std::index_sequence<kTensor...>) PRELAUNCH_RULE {
    return static_cast<bool>(((static_cast<int>(&tensor_of<Op, kTensor>(args) != &view) &
                               static_cast<int>(extents_meet(tensor_of<Op, kTensor>(args), view))) |
                              ...));
  }(std::make_index_sequence<kTensors<Op>>());
}

// Whether `view` shares a byte with another argument than `except`, or that is not decided. Written
// tensors before number `from` have been looked at.
template <class Op>
PRELAUNCH_RULE inline bool overlaps_any(const typename Op::Args& args, const TensorView& view,
                                        const TensorView* except, std::size_t from) {
  for (std::size_t i = 0; i < kTensors<Op>; ++i) {
    const TensorView& other = args.*kTensorMembers<Op>[i];
    if (&other == &view || &other == except || (i < from && kIsWritten<Op>[i])) continue;
    if (overlap(view, other) != Overlap::kDisjoint) return true;
  }
  return false;
}

template <class Op, auto kExcept>
PRELAUNCH_RULE constexpr const TensorView* excepted(const typename Op::Args& args) {
  if constexpr (std::is_null_pointer_v<decltype(kExcept)>) {
    return nullptr;
  } else {
    return &(args.*kExcept);
  }
}

}  // namespace detail

// The first written tensor, in field order, that shares a byte with another argument, or for which
// that is not decided; null when there is none. `kExcept` is a member with a rule of its own, which
// is left out on both sides.
template <class Op, auto kExcept = nullptr>
PRELAUNCH_RULE inline const TensorView* first_written_overlap(const typename Op::Args& args) {
  if (!detail::any_written_meets<Op, kExcept>(args)) return nullptr;
  const TensorView* const except = detail::excepted<Op, kExcept>(args);
  for (std::size_t w = 0; w < detail::kTensors<Op>; ++w) {
    const TensorView& written = args.*detail::kTensorMembers<Op>[w];
    if (!detail::kIsWritten<Op>[w] || &written == except) continue;
    if (detail::overlaps_any<Op>(args, written, except, w)) return &written;
  }
  return nullptr;
}

// Whether one tensor shares no byte with any other argument.
template <class Op>
PRELAUNCH_RULE inline bool disjoint_from_others(const typename Op::Args& args,
                                                const TensorView& view) {
  return !detail::meets_any<Op>(args, view) || !detail::overlaps_any<Op>(args, view, nullptr, 0);
}

}  // namespace prelaunch
