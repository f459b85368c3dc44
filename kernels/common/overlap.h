// Do two strided views share a byte? Decided exactly, in bytes.
//
// Two views that interleave inside one buffer (k_out and v_out as the halves of a KV pool) share no
// byte and are valid; comparing extents would refuse them. Disjoint extents are decided inline.
// Where extents cross, a bounded linear Diophantine equation is solved: is there an element of each
// view, and a byte of each element, with the same address? The model is numpy's shares_memory. The
// problem is NP-hard in general, so the search is bounded and may answer kUndecided.
#pragma once

#include <cstdint>

#include "kernels/common/tensor_view.h"

namespace prelaunch {

enum class Overlap : std::uint8_t { kDisjoint, kShared, kUndecided };

// Steps of the search after which the answer is kUndecided.
inline constexpr std::int64_t kOverlapSteps = 1'000'000;

// Both take views without a flaw. A view without elements shares nothing.
Overlap solve_overlap(const TensorView& a, const TensorView& b);
// Do two different elements of `view` share a byte?
Overlap solve_self_overlap(const TensorView& view);

// True when the extents, as intervals of addresses, do not meet.
constexpr bool extents_disjoint(const TensorView& a, const TensorView& b) {
  // Subtracting first keeps both sides free of wrapping: flawless views end within 64 bits.
  return a.address >= b.address ? a.address - b.address >= static_cast<std::uintptr_t>(b.extent)
                                : b.address - a.address >= static_cast<std::uintptr_t>(a.extent);
}

inline Overlap overlap(const TensorView& a, const TensorView& b) {
  if (a.elements == 0 || b.elements == 0) return Overlap::kDisjoint;
  return extents_disjoint(a, b) ? Overlap::kDisjoint : solve_overlap(a, b);
}

inline Overlap self_overlap(const TensorView& view) {
  return view.contiguous ? Overlap::kDisjoint : solve_self_overlap(view);
}

}  // namespace prelaunch
