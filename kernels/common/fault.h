// The fault word: how a kernel reports a bad value that lives in device memory, without
// synchronising.
//
// `fault?` is the last argument of each guarded op: a uint64 tensor with one element on the op's
// device. The caller sets it to kNoFault; a faulting row does atomicMin(word, row << 8 | code), so
// the smallest row since the last reset is what is left, on every run the same.
#pragma once

#include <cstdint>
#include <optional>

#if defined(__CUDACC__)
#define PRELAUNCH_HOST_DEVICE __host__ __device__
#else
#define PRELAUNCH_HOST_DEVICE
#endif

namespace prelaunch {

enum class FaultCode : std::uint8_t {
  kPositionOutOfRange = 1,
  kSlotOutOfRange = 2,
  kSlotDuplicated = 3,
  kCursorOutOfRange = 4,
  kTokenOutOfRange = 5,
  kBadDistribution = 6,
  kCoinOutOfRange = 7,
};

inline constexpr std::uint64_t kNoFault = ~std::uint64_t{0};

struct Fault {
  std::uint64_t row;
  FaultCode code;
  friend constexpr bool operator==(const Fault&, const Fault&) = default;
};

PRELAUNCH_HOST_DEVICE constexpr std::uint64_t fault_word(std::uint64_t row, FaultCode code) {
  return row << 8 | static_cast<std::uint8_t>(code);
}

// What a word that was read back says; nothing when no row has faulted.
constexpr std::optional<Fault> read_fault(std::uint64_t word) {
  if (word == kNoFault) return std::nullopt;
  return Fault{word >> 8, static_cast<FaultCode>(word & 0xff)};
}

// "position_out_of_range"; "unknown" for a code that is none.
constexpr const char* to_string(FaultCode code) {
  switch (code) {
    case FaultCode::kPositionOutOfRange:
      return "position_out_of_range";
    case FaultCode::kSlotOutOfRange:
      return "slot_out_of_range";
    case FaultCode::kSlotDuplicated:
      return "slot_duplicated";
    case FaultCode::kCursorOutOfRange:
      return "cursor_out_of_range";
    case FaultCode::kTokenOutOfRange:
      return "token_out_of_range";
    case FaultCode::kBadDistribution:
      return "bad_distribution";
    case FaultCode::kCoinOutOfRange:
      return "coin_out_of_range";
  }
  return "unknown";
}

}  // namespace prelaunch
