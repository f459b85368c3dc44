// What a call's tensors hold before it is run.
//
// Where an op's arguments mean something (positions, probabilities, cursors), its header declares
//
//   // Fills the inputs with ordinary values: those that no guard objects to.
//   void prepare(const Args& args, Choices& choose);
//
// and fill_contents() calls it, then lets each tensor's Fill have its way.
#pragma once

#include <algorithm>

#include "kernels/common/call.h"
#include "kernels/common/choices.h"
#include "kernels/common/host_tensor.h"

namespace prelaunch {

// Writes what `fill` asks for into a view that the host may write; random bytes come from `choose`.
void apply_fill(const TensorView& view, const Fill& fill, Choices& choose);

template <class Args>
concept HasPrepare = requires(const Args& args, Choices& choose) { prepare(args, choose); };

// `args` describes the call's tensors where the host may write them. The same seed gives the same
// contents. Random bytes are there already.
template <class Op>
void fill_contents(const Call& call, const typename Op::Args& args, std::uint64_t seed) {
  Choices choose(seed);
  if constexpr (HasPrepare<typename Op::Args>) prepare(args, choose);
  for (std::size_t i = 0; i < Op::kFields.size(); ++i) {
    const TensorView* view = Op::kFields[i].tensor(args);
    if (view == nullptr || !view->given || view->flaw != Flaw::kNone) continue;
    apply_fill(*view, call.values[i].tensor.fill, choose);
  }
}

// Whether there is more to be written than random bytes.
template <class Op>
bool has_contents(const Call& call) {
  if constexpr (HasPrepare<typename Op::Args>) {
    return true;
  } else {
    return std::ranges::any_of(call.values,
                               [](const Value& value) { return !value.tensor.fill.is_default(); });
  }
}

}  // namespace prelaunch
