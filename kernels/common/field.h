// The field list: each op's `Args` struct has one constexpr list of its members, in the order of
// the op's formula. Explaining an error, the forms of a call, the fuzz codec, the overlap check and
// the emulator's poisoning all walk that list; nothing else in the product knows an op's arguments.
//
//   struct Args { TensorView q; std::int64_t world_size; TensorView out; };
//   inline constexpr auto kFields = std::to_array<Field<Args>>({
//       {"q", Role::kInput, &Args::q},
//       {"world_size", &Args::world_size},
//       {"out", Role::kOutput, &Args::out, kOptional},
//   });
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "kernels/common/tensor_view.h"

namespace prelaunch {

enum class Role : std::uint8_t { kInput, kOutput, kInPlace, kScalar };
enum class Presence : std::uint8_t { kRequired, kOptional };
inline constexpr Presence kRequired = Presence::kRequired;
inline constexpr Presence kOptional = Presence::kOptional;

// The types a member may have. A scalar that may be absent is an optional<float>.
template <class Args>
using Member = std::variant<TensorView Args::*, std::int64_t Args::*, float Args::*, bool Args::*,
                            std::optional<float> Args::*>;

template <class Args>
struct Field {
  std::string_view name;
  Role role;
  Member<Args> member;
  Presence presence;

  constexpr Field(std::string_view n, Role r, TensorView Args::* m, Presence p = kRequired)
      : name(n), role(r), member(m), presence(p) {}
  constexpr Field(std::string_view n, std::int64_t Args::* m)
      : name(n), role(Role::kScalar), member(m), presence(kRequired) {}
  constexpr Field(std::string_view n, float Args::* m)
      : name(n), role(Role::kScalar), member(m), presence(kRequired) {}
  constexpr Field(std::string_view n, bool Args::* m)
      : name(n), role(Role::kScalar), member(m), presence(kRequired) {}
  constexpr Field(std::string_view n, std::optional<float> Args::* m)
      : name(n), role(Role::kScalar), member(m), presence(kOptional) {}

  constexpr bool is_tensor() const { return std::holds_alternative<TensorView Args::*>(member); }
  constexpr bool written() const { return role == Role::kOutput || role == Role::kInPlace; }
  // Null when the field is a scalar.
  constexpr const TensorView* tensor(const Args& args) const {
    const auto* pointer = std::get_if<TensorView Args::*>(&member);
    return pointer != nullptr ? &(args.**pointer) : nullptr;
  }
};

// Calls visit(field, view) for every tensor of an op's arguments, in field order.
template <class Op, class Args, class Visit>
constexpr void for_each_tensor(Args& args, Visit visit) {
  for (const auto& field : Op::kFields) {
    if (const auto* member = std::get_if<TensorView std::remove_const_t<Args>::*>(&field.member)) {
      visit(field, args.**member);
    }
  }
}

}  // namespace prelaunch
