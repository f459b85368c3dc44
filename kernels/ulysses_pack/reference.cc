// The definition, spelled on the host: no index arithmetic of the kernel's is used here.
#include <fmt/format.h>

#include <cstring>

#include "kernels/common/host_tensor.h"
#include "kernels/ulysses_pack/ulysses_pack.h"

namespace prelaunch::ulysses_pack {

std::optional<std::string> verify(const Args& before, const Args& after) {
  const TensorView* const sources[] = {&before.q, &before.k, &before.v};
  const auto [rows, global_heads, head_size] = dims<3>(before.q);
  const std::int64_t local_heads = global_heads / before.world_size;
  const auto bytes = static_cast<std::size_t>(head_size * before.q.dtype.bytes());
  for (std::int64_t d = 0; d < before.world_size && after.out.elements > 0; ++d) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t h = 0; h < local_heads; ++h) {
        for (std::int64_t c = 0; c < 3; ++c) {
          const std::byte* expected = element(*sources[c], {r, d * local_heads + h, 0});
          const std::byte* got = element(after.out, {d, r, h, c * head_size});
          if (std::memcmp(expected, got, bytes) != 0) {
            return fmt::format("out[{}, {}, {}, {}:{}] is not {}[{}, {}]", d, r, h, c * head_size,
                               (c + 1) * head_size, Op::kFields[static_cast<std::size_t>(c)].name,
                               r, d * local_heads + h);
          }
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace prelaunch::ulysses_pack
