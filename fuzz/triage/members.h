// The members of an aggregate, as references.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

namespace prelaunch::fuzz {

struct AnyMember {
  template <class T>
  operator T() const;
};

template <class T, std::size_t... kIndex>
constexpr bool takes(std::index_sequence<kIndex...>) {
  return requires { T{(static_cast<void>(kIndex), AnyMember{})...}; };
}

// How many there are; up to 24.
template <class T, std::size_t kCount = 24>
constexpr std::size_t member_count() {
  if constexpr (takes<T>(std::make_index_sequence<kCount>{}))
    return kCount;
  else
    return member_count<T, kCount - 1>();
}

// A tuple of references to them.
template <class T>
constexpr auto members_of(T& of) {
  constexpr std::size_t kCount = member_count<T>();
  static_assert(kCount >= 6 && kCount <= 24, "add the number of members below");
#define PRELAUNCH_MEMBERS(count, ...) \
  if constexpr (kCount == count) {    \
    auto& [__VA_ARGS__] = of;         \
    return std::tie(__VA_ARGS__);     \
  }
  PRELAUNCH_MEMBERS(6, a, b, c, d, e, f)
  PRELAUNCH_MEMBERS(7, a, b, c, d, e, f, g)
  PRELAUNCH_MEMBERS(8, a, b, c, d, e, f, g, h)
  PRELAUNCH_MEMBERS(9, a, b, c, d, e, f, g, h, i)
  PRELAUNCH_MEMBERS(10, a, b, c, d, e, f, g, h, i, j)
  PRELAUNCH_MEMBERS(11, a, b, c, d, e, f, g, h, i, j, k)
  PRELAUNCH_MEMBERS(12, a, b, c, d, e, f, g, h, i, j, k, l)
  PRELAUNCH_MEMBERS(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
  PRELAUNCH_MEMBERS(14, a, b, c, d, e, f, g, h, i, j, k, l, m, n)
  PRELAUNCH_MEMBERS(15, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
  PRELAUNCH_MEMBERS(16, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
  PRELAUNCH_MEMBERS(17, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q)
  PRELAUNCH_MEMBERS(18, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)
  PRELAUNCH_MEMBERS(19, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s)
  PRELAUNCH_MEMBERS(20, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t)
  PRELAUNCH_MEMBERS(21, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u)
  PRELAUNCH_MEMBERS(22, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v)
  PRELAUNCH_MEMBERS(23, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w)
  PRELAUNCH_MEMBERS(24, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x)
#undef PRELAUNCH_MEMBERS
}

}  // namespace prelaunch::fuzz
