// What a launch left, where the host may read it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "fuzz/backing.h"
#include "kernels/common/call.h"
#include "kernels/common/door.h"
#include "kernels/common/field.h"
#if defined(PRELAUNCH_EMULATED)
#include "kernels/emulator/memory.h"
#endif

namespace prelaunch::fuzz {

#if defined(PRELAUNCH_EMULATED)

// The launch's own memory, opened for as long as this lives.
template <class Op>
class Readback {
 public:
  Readback(const typename Op::Args&, const typename Op::Args& launched) : args_(launched) {
    std::size_t i = 0;
    for_each_tensor<Op>(launched, [&](const auto&, const TensorView& view) {
      if (view.given) access_[i++].emplace(view);
    });
  }
  const typename Op::Args& args() const { return args_; }
  Status status() const { return {}; }

 private:
  const typename Op::Args& args_;
  std::array<std::optional<emulator::HostAccess>, kMaxFields> access_;
};

#else

// Copies: of the call's tensors the arena's, and of the outputs that the launch allocated its own.
template <class Op>
class Readback {
 public:
  // `on_host` are the call's arguments where the arena has read them back; see Arena::fetch.
  Readback(const typename Op::Args& on_host, const typename Op::Args& launched) : args_(on_host) {
    for (const auto& field : Op::kFields) {
      const TensorView* view = field.tensor(launched);
      if (view == nullptr || !view->given || field.tensor(on_host)->given) continue;
      TensorView& mine = args_.*std::get<TensorView Op::Args::*>(field.member);
      mine = *view;
      if (view->extent > 0 && status_.ok()) copy(*view, mine);
    }
  }
  const typename Op::Args& args() const { return args_; }
  // Of the copies.
  const Status& status() const { return status_; }

 private:
  void copy(const TensorView& view, TensorView& mine) {
    auto& bytes = copies_.emplace_back(static_cast<std::size_t>(view.extent));
    mine.address = reinterpret_cast<std::uintptr_t>(bytes.data());
    const door::DeviceGuard guard(view.device.index);
    status_ = door::copy(bytes.data(), reinterpret_cast<const void*>(view.address), view.extent,
                         door::Direction::kDeviceToHost, nullptr);
    if (status_.ok()) status_ = door::synchronize(nullptr);
  }

  typename Op::Args args_;
  Status status_;
  std::vector<std::vector<std::byte> > copies_;
};

#endif

}  // namespace prelaunch::fuzz
