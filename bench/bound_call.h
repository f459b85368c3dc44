// A call with descriptors and views, at addresses that are only numbers: nothing is run.
#pragma once

#include <array>
#include <utility>

#include "kernels/common/call.h"

namespace prelaunch::bench {

inline constexpr std::uintptr_t kSomewhere = std::uintptr_t{1} << 40;
inline constexpr DeviceCount kTwoDevices{2};

// Stays where it is made: the descriptors point into the call.
template <class Op>
class BoundCall {
 public:
  explicit BoundCall(const Call& call) : call_(call) {
    const Placement placement = place_buffers(call_, tensor_fields<Op>(), kSomewhere);
    args_ = bind<Op>(call_, placement, kTwoDevices);
    for (std::size_t i = 0; i < Op::kFields.size(); ++i) {
      const TensorSpec& spec = call_.values[i].tensor;
      descriptors_[i] = describe(spec, placement.base[spec.buffer % kMaxBuffers]);
    }
  }
  BoundCall(const BoundCall&) = delete;
  BoundCall& operator=(const BoundCall&) = delete;

  const typename Op::Args& args() const { return args_; }

  // What every call of the op does first: one view for each tensor argument.
  void normalise(typename Op::Args& args) const {
    [&]<std::size_t... kField>(std::index_sequence<kField...>) {
      (normalise_field<kField>(args), ...);
    }(std::make_index_sequence<Op::kFields.size()>());
  }

 private:
  template <std::size_t kField>
  void normalise_field(typename Op::Args& args) const {
    if constexpr (Op::kFields[kField].is_tensor()) {
      constexpr auto kMember = std::get<TensorView Op::Args::*>(Op::kFields[kField].member);
      const bool absent = call_.values[kField].absent;
      (args.*kMember).read(absent ? nullptr : &descriptors_[kField], kTwoDevices);
    }
  }

  Call call_;
  std::array<DLTensor, Op::kFields.size()> descriptors_{};
  typename Op::Args args_;
};

}  // namespace prelaunch::bench
