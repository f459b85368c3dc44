// The intrinsics of one thread: bits, arithmetic, cached loads and stores, atomics. Atomics are
// plain here: a thread loses its turn at barriers and warp collectives only.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

template <class T>
T __ldg(const T* address) {
  return *address;
}
template <class T>
T __ldcg(const T* address) {
  return *address;
}
template <class T>
T __ldcs(const T* address) {
  return *address;
}
template <class T>
void __stcg(T* address, std::type_identity_t<T> value) {
  *address = value;
}
template <class T>
void __stcs(T* address, std::type_identity_t<T> value) {
  *address = value;
}

constexpr unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(std::uint64_t{a} * b >> 32);
}
constexpr unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<unsigned long long>(Wide{a} * b >> 64);
}
constexpr int __popc(unsigned bits) { return std::popcount(bits); }
constexpr int __popcll(unsigned long long bits) { return std::popcount(bits); }
constexpr int __clz(int bits) { return std::countl_zero(static_cast<unsigned>(bits)); }
constexpr int __clzll(long long bits) {
  return std::countl_zero(static_cast<unsigned long long>(bits));
}
// The place of the lowest bit, from 1; 0 when there is none.
constexpr int __ffs(int bits) {
  return bits == 0 ? 0 : std::countr_zero(static_cast<unsigned>(bits)) + 1;
}
constexpr int __ffsll(long long bits) {
  return bits == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(bits)) + 1;
}

constexpr float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
constexpr unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }
constexpr float __int_as_float(int bits) { return std::bit_cast<float>(bits); }
constexpr int __float_as_int(float value) { return std::bit_cast<int>(value); }

inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }

namespace prelaunch::emulator {

// The types that CUDA has the integer atomics for.
template <class T>
concept AtomicInteger =
    std::is_same_v<T, int> || std::is_same_v<T, unsigned> || std::is_same_v<T, unsigned long long>;
template <class T>
concept AtomicReal = std::is_same_v<T, float> || std::is_same_v<T, double>;

template <class T>
T exchange(T* address, T value) {
  const T old = *address;
  *address = value;
  return old;
}

}  // namespace prelaunch::emulator

template <prelaunch::emulator::AtomicInteger T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
  using Bits = std::make_unsigned_t<T>;  // the GPU's adder wraps
  const Bits sum = static_cast<Bits>(*address) + static_cast<Bits>(value);
  return prelaunch::emulator::exchange(address, static_cast<T>(sum));
}
template <prelaunch::emulator::AtomicReal T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
  return prelaunch::emulator::exchange(address, *address + value);
}
template <prelaunch::emulator::AtomicInteger T>
T atomicMin(T* address, std::type_identity_t<T> value) {
  return prelaunch::emulator::exchange(address, value < *address ? value : *address);
}
template <prelaunch::emulator::AtomicInteger T>
T atomicMax(T* address, std::type_identity_t<T> value) {
  return prelaunch::emulator::exchange(address, value > *address ? value : *address);
}
template <prelaunch::emulator::AtomicInteger T>
T atomicAnd(T* address, std::type_identity_t<T> value) {
  return prelaunch::emulator::exchange(address, *address & value);
}
template <prelaunch::emulator::AtomicInteger T>
T atomicOr(T* address, std::type_identity_t<T> value) {
  return prelaunch::emulator::exchange(address, *address | value);
}
template <class T>
  requires(prelaunch::emulator::AtomicInteger<T> || std::is_same_v<T, float>)
T atomicExch(T* address, std::type_identity_t<T> value) {
  return prelaunch::emulator::exchange(address, value);
}
template <prelaunch::emulator::AtomicInteger T>
T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return prelaunch::emulator::exchange(address, *address == expected ? value : *address);
}
