// CUDA's vector types, with CUDA's alignments. A vector access that is not aligned to them faults
// on a GPU; here UBSan reports it.
//
// For that, copying must not be what the compiler copies by itself: clang checks the alignment of a
// member's access, but not that of a whole trivial copy. So the copies are templates that go member
// by member, while to the language the types stay trivially copyable (std::bit_cast works): a
// template is never a copy constructor, and the deleted ones, being volatile, are always the worse
// match.
//
// Assign `*p = make_uint4(x, y, z, w)`; a bare list in braces does not compile here.
#pragma once

#include <concepts>

// In a class whose constructor takes its members.
#define PRELAUNCH_CHECKED_COPIES(Type) \
  Type() = default;                    \
  Type(Type&&) = default;              \
  Type(const volatile Type&) = delete; \
  Type& operator=(const volatile Type&) = delete;

namespace prelaunch::emulator {

template <class T, int kAlignment>
struct alignas(kAlignment) Vector2 {
  T x, y;

  PRELAUNCH_CHECKED_COPIES(Vector2)
  constexpr Vector2(T x_, T y_) : x(x_), y(y_) {}
  template <std::same_as<Vector2> From>
  constexpr Vector2(const From& from) : x(from.x), y(from.y) {}
  template <std::same_as<Vector2> From>
  constexpr Vector2& operator=(const From& from) {
    x = from.x;
    y = from.y;
    return *this;
  }
};

template <class T, int kAlignment>
struct alignas(kAlignment) Vector4 {
  T x, y, z, w;

  PRELAUNCH_CHECKED_COPIES(Vector4)
  constexpr Vector4(T x_, T y_, T z_, T w_) : x(x_), y(y_), z(z_), w(w_) {}
  template <std::same_as<Vector4> From>
  constexpr Vector4(const From& from) : x(from.x), y(from.y), z(from.z), w(from.w) {}
  template <std::same_as<Vector4> From>
  constexpr Vector4& operator=(const From& from) {
    x = from.x;
    y = from.y;
    z = from.z;
    w = from.w;
    return *this;
  }
};

}  // namespace prelaunch::emulator

// `name` is CUDA's prefix for vectors of `scalar`.
#define PRELAUNCH_VECTOR_TYPES(name, scalar, align2, align4)                           \
  using name##2 = prelaunch::emulator::Vector2<scalar, align2>;                        \
  using name##4 = prelaunch::emulator::Vector4<scalar, align4>;                        \
  struct name##3 { scalar x, y, z; };                                                  \
  constexpr name##2 make_##name##2(scalar x, scalar y) { return {x, y}; }              \
  constexpr name##3 make_##name##3(scalar x, scalar y, scalar z) { return {x, y, z}; } \
  constexpr name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { return {x, y, z, w}; }

PRELAUNCH_VECTOR_TYPES(char, signed char, 2, 4)
PRELAUNCH_VECTOR_TYPES(uchar, unsigned char, 2, 4)
PRELAUNCH_VECTOR_TYPES(short, short, 4, 8)
PRELAUNCH_VECTOR_TYPES(ushort, unsigned short, 4, 8)
PRELAUNCH_VECTOR_TYPES(int, int, 8, 16)
PRELAUNCH_VECTOR_TYPES(uint, unsigned, 8, 16)
PRELAUNCH_VECTOR_TYPES(float, float, 8, 16)
PRELAUNCH_VECTOR_TYPES(longlong, long long, 16, 16)
PRELAUNCH_VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
PRELAUNCH_VECTOR_TYPES(double, double, 16, 16)
#undef PRELAUNCH_VECTOR_TYPES

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
