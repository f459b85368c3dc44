#include "kernels/common/host_tensor.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/common/half_bits.h"

namespace prelaunch {
namespace {

template <class T>
T read(const std::byte* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

template <class T>
void write(std::byte* data, T value) {
  std::memcpy(data, &value, sizeof value);
}

// A double to f32 to f16 would round twice. Rounding to odd in between loses nothing: f32 has more
// than two bits more than either.
float narrow_to_odd(double number) {
  const auto nearest = static_cast<float>(number);
  if (std::isnan(number) || static_cast<double>(nearest) == number) return nearest;
  const float towards = static_cast<double>(nearest) < number
                            ? std::numeric_limits<float>::infinity()
                            : -std::numeric_limits<float>::infinity();
  const bool odd = (std::bit_cast<std::uint32_t>(nearest) & 1) != 0;
  return odd ? nearest : std::nextafter(nearest, towards);
}

template <class T>
void write_integer(std::byte* data, double number) {
  using Limits = std::numeric_limits<T>;
  // 2^digits is the first number past the range, and a double.
  const double past = std::ldexp(1.0, Limits::digits);
  T value = 0;
  if (number >= past) {
    value = Limits::max();
  } else if (number > static_cast<double>(Limits::min())) {
    value = static_cast<T>(number);
  } else if (!std::isnan(number)) {
    value = Limits::min();
  }
  write(data, value);
}

// Calls visit(T()) with the integer type of a dtype; false for a dtype that is none.
template <class Visit>
bool with_integer(Dtype dtype, Visit visit) {
  const bool is_signed = dtype.code == DtypeCode::kInt;
  if (!is_signed && dtype.code != DtypeCode::kUInt && dtype.code != DtypeCode::kBool) return false;
  switch (dtype.bits) {
    case 8:
      is_signed ? visit(std::int8_t()) : visit(std::uint8_t());
      return true;
    case 16:
      is_signed ? visit(std::int16_t()) : visit(std::uint16_t());
      return true;
    case 32:
      is_signed ? visit(std::int32_t()) : visit(std::uint32_t());
      return true;
    case 64:
      is_signed ? visit(std::int64_t()) : visit(std::uint64_t());
      return true;
    default:
      return false;
  }
}

}  // namespace

std::byte* nth_element(const TensorView& view, std::int64_t flat) {
  std::int64_t offset = view.contiguous ? flat : 0;
  for (auto d = view.contiguous ? 0 : static_cast<std::size_t>(view.rank); d-- > 0;) {
    offset += flat % view.shape[d] * view.strides[d];
    flat /= view.shape[d];
  }
  return reinterpret_cast<std::byte*>(view.address) + offset * view.dtype.bytes();
}

double load(const std::byte* data, Dtype dtype) {
  if (dtype == kFloat32) return static_cast<double>(read<float>(data));
  if (dtype == kFloat16) return static_cast<double>(widen_half(read<std::uint16_t>(data)));
  if (dtype == kBfloat16) return static_cast<double>(widen_bfloat16(read<std::uint16_t>(data)));
  if (dtype == kFloat64) return read<double>(data);
  double number = 0;
  with_integer(dtype, [&]<class T>(T) { number = static_cast<double>(read<T>(data)); });
  return number;
}

std::int64_t load_integer(const std::byte* data, Dtype dtype) {
  std::int64_t number = 0;
  with_integer(dtype, [&]<class T>(T) { number = static_cast<std::int64_t>(read<T>(data)); });
  return number;
}

void store(std::byte* data, Dtype dtype, double number) {
  if (dtype == kFloat32) {
    write(data, static_cast<float>(number));
  } else if (dtype == kFloat16) {
    write(data, narrow_to_half(narrow_to_odd(number)));
  } else if (dtype == kBfloat16) {
    write(data, narrow_to_bfloat16(narrow_to_odd(number)));
  } else if (dtype == kFloat64) {
    write(data, number);
  } else {
    with_integer(dtype, [&]<class T>(T) { write_integer<T>(data, number); });
  }
}

}  // namespace prelaunch
