// Which of the alternatives planted in this program's contracts and kernels is active. At most one
// is; without one the program does what the sources say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace prelaunch::planted {

enum class Kind : std::uint8_t {
  kNone,
  kCommon,    // a mutant of the headers that all contracts share
  kOwn,       // a mutant of the op's contract.h
  kDeletion,  // the rule of this index is left out
  kSwap,      // the rule of this index and the next have changed places
  kFault,     // a bug in the op's kernel
};

struct Planted {
  Kind kind = Kind::kNone;
  std::size_t index = 0;
};

// Starts as what the environment's PRELAUNCH_PLANTED names, as in "own:17".
extern Planted active;

// Where set, mutants of the shared headers are noted here, by index, when they are come by.
extern bool* reached_common;

// "own:17"; "none" where nothing is planted.
std::string to_string(const Planted& planted);
// Reads that. False where it is nothing of the kind.
bool parse(std::string_view text, Planted& planted);

inline bool is(Kind kind, std::size_t index) {
  return active.kind == kind && active.index == index;
}

// Asked by mutated sources. What the compiler evaluates is never mutated.
constexpr bool common(std::size_t mutant) {
  if (std::is_constant_evaluated()) return false;
  if (reached_common != nullptr) reached_common[mutant] = true;
  return is(Kind::kCommon, mutant);
}
constexpr bool own(std::size_t mutant) {
  if (std::is_constant_evaluated()) return false;
  return is(Kind::kOwn, mutant);
}
// Asked by kernels with planted bugs.
inline bool fault(std::size_t index) { return is(Kind::kFault, index); }

}  // namespace prelaunch::planted
