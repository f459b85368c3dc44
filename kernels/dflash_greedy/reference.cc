// The definition, spelled on the host, one request and one draft at a time.
#include <fmt/format.h>

#include "kernels/common/host_tensor.h"
#include "kernels/dflash_greedy/dflash_greedy.h"

namespace prelaunch::dflash_greedy {

std::optional<std::string> verify(const Args& before, const Args& after) {
  const auto [bs, n] = dims<2>(before.candidates);
  for (std::int64_t b = 0; b < bs; ++b) {
    std::int64_t accepted = 0;
    while (accepted + 1 < n && integer(before.candidates, {b, accepted + 1}) ==
                                   integer(before.target_predict, {b, accepted})) {
      ++accepted;
    }
    if (const std::int64_t got = integer(after.accept_len, {b}); got != accepted) {
      return fmt::format("accept_len[{}] is {}, expected {}", b, got, accepted);
    }
    const std::int64_t bonus = integer(before.target_predict, {b, accepted});
    if (const std::int64_t got = integer(after.bonus, {b}); got != bonus) {
      return fmt::format("bonus[{}] is {}, expected {}", b, got, bonus);
    }
  }
  return std::nullopt;
}

void prepare(const Args& args, Choices& choose) {
  const auto [bs, n] = dims<2>(args.candidates);
  for (std::int64_t b = 0; b < bs; ++b) {
    const std::int64_t agree = choose.between(0, n - 1);
    for (std::int64_t j = 0; j < n; ++j) {
      const double token = static_cast<double>(choose.below(32000));
      store(element(args.target_predict, {b, j}), args.target_predict.dtype, token);
      if (j + 1 == n) break;
      store(element(args.candidates, {b, j + 1}), args.candidates.dtype,
            j < agree ? token : token + 1);
    }
  }
}

}  // namespace prelaunch::dflash_greedy
