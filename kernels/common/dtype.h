// Element types, as DLPack describes them: (code, bits, lanes).
// Definition: DLPack's DLDataType; names are PyTorch's, because users search for its messages.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace prelaunch {

// DLPack's type codes. The numbers are DLPack's; those past kComplex come from versions newer than
// the installed header, so they are spelled here.
enum class DtypeCode : std::uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kOpaque = 3,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
  kFloat8E4m3fn = 10,
  kFloat8E5m2 = 12,
};

struct Dtype {
  DtypeCode code = DtypeCode::kFloat;
  std::uint8_t bits = 32;
  std::uint16_t lanes = 1;

  // Bytes of one element. Meaningful once the dtype_width rule has held.
  constexpr std::int64_t bytes() const { return bits / 8; }
  // One comparison, where the default would be three.
  friend constexpr bool operator==(const Dtype& a, const Dtype& b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  }
};

inline constexpr Dtype kFloat32{DtypeCode::kFloat, 32, 1};
inline constexpr Dtype kFloat16{DtypeCode::kFloat, 16, 1};
inline constexpr Dtype kBfloat16{DtypeCode::kBfloat, 16, 1};
inline constexpr Dtype kFloat64{DtypeCode::kFloat, 64, 1};
inline constexpr Dtype kInt32{DtypeCode::kInt, 32, 1};
inline constexpr Dtype kInt64{DtypeCode::kInt, 64, 1};
inline constexpr Dtype kUInt8{DtypeCode::kUInt, 8, 1};
inline constexpr Dtype kUInt64{DtypeCode::kUInt, 64, 1};

// The widths that the dtype_width rule accepts: 8, 16, 32, 64 or 128 bits in one lane.
constexpr bool accepted_width(Dtype dtype) {
  return dtype.bits >= 8 && std::has_single_bit(dtype.bits) && dtype.lanes == 1;
}

// "torch.bfloat16"; "dlpack(code=77, bits=4, lanes=0)" for what PyTorch has no name for.
std::string to_string(Dtype dtype);

// The dtype of a short name ("bf16", "f32", "i64", "u8", ...), as the JSON form of a call spells
// it. Returns false and leaves `dtype` alone when the name is unknown.
bool dtype_from_short_name(std::string_view name, Dtype& dtype);

// The short name of a dtype, or an empty string when it has none.
std::string_view short_name(Dtype dtype);

}  // namespace prelaunch
