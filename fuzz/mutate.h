// The structure-aware mutator: what LLVMFuzzerCustomMutator and LLVMFuzzerCustomCrossOver do.
//
// Nearly all of its outputs are generated inputs (fuzz/codec.h), whose verdict is known: the
// choices of a generated parent, mutated, or fresh ones in place of an explicit parent. Their kind
// is drawn anew each time, so that a campaign has as many valid calls and sole violations as the
// generator gives, whatever its corpus holds. The others are explicit: the parent's call with one
// generic edit (fuzz/edit.h), or with fields of another call; from an explicit parent twice as
// often, so that what wild calls found is followed up.
//
// What is returned depends on the arguments alone, apart from the engine's own mutations where
// there is an engine.
#pragma once

#include <cstdint>
#include <span>

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

// More choices than any op's generator takes.
inline constexpr std::size_t kMaxGeneratedBytes = 128;

// Mutates the `size` bytes at `data`, where there is room for `max_size`, in place. Returns the new
// size: at least 1, and at most `max_size`, unless there is no room at all.
std::size_t mutate(const OpInfo& op, std::uint8_t* data, std::size_t size, std::size_t max_size,
                   std::uint32_t seed);

// Writes a child of two inputs to `out`, which overlaps neither. Returns its size, as mutate()
// does.
std::size_t cross_over(const OpInfo& op, std::span<const std::uint8_t> first,
                       std::span<const std::uint8_t> second, std::span<std::uint8_t> out,
                       std::uint32_t seed);

}  // namespace prelaunch::fuzz
