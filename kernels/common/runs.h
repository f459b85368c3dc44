// A strided view as runs of contiguous bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/common/tensor_view.h"

namespace prelaunch {

// Who visits runs one by one treats a view of more than this as one run.
inline constexpr std::int64_t kMaxRuns = 256;

struct Runs {
  struct Dim {
    std::int64_t count, stride_bytes;
  };

  std::uintptr_t address = 0;
  std::int64_t run_bytes = 0;
  // How many runs there are: the product of the counts. May be more than anyone wants to visit, and
  // is then kMany.
  std::int64_t count = 0;
  std::size_t rank = 0;
  std::array<Dim, kMaxRank> dims{};

  static constexpr std::int64_t kMany = std::int64_t{1} << 32;

  // Calls visit(begin, end) for each run.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::int64_t i = 0; i < count; ++i) {
      std::uintptr_t begin = address;
      std::int64_t rest = i;
      for (std::size_t d = 0; d < rank; ++d) {
        begin += static_cast<std::uintptr_t>(rest % dims[d].count * dims[d].stride_bytes);
        rest /= dims[d].count;
      }
      visit(begin, begin + static_cast<std::uintptr_t>(run_bytes));
    }
  }
};

// `view` has no flaw. Runs may touch or overlap when the view does; a view without elements has
// none.
Runs decompose(const TensorView& view);

// The same, but as one run from first to last byte when there are more than `limit`.
Runs decompose(const TensorView& view, std::int64_t limit);

}  // namespace prelaunch
