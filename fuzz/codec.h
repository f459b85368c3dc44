// The byte form of a call. Any byte string is some call, so every engine may mutate it blindly:
//
//   even first byte   explicit: the fields one after the other, as `encode` writes them
//   odd first byte    generated: the rest drives the generator, which knows the verdict; the second
//                     byte decides what kind of call it is (fuzz/generate.h)
//
// What is missing at the end reads as zero; what is left over is ignored. decode(encode(call)) is
// `call` for every call in canonical form (see canonical()).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

// Turns bytes into a call without touching the heap; says what is known about its verdict.
Expectation decode(const OpInfo& op, std::span<const std::uint8_t> bytes, Call& call);

// No explicit form is longer: numbers take at most ten bytes.
inline constexpr std::size_t kMaxExplicitBytes = 16 + kMaxFields * 300;

// The explicit form.
std::vector<std::uint8_t> encode(const OpInfo& op, const Call& call);
// The same without touching the heap: its size, or 0, with `out` spoilt, when it does not fit.
std::size_t encode(const OpInfo& op, const Call& call, std::span<std::uint8_t> out);

// What the explicit form holds for a size, stride, offset or integer; for a dtype; for a device:
// the words that dictionaries teach an engine.
std::vector<std::uint8_t> encode_number(std::int64_t value);
std::vector<std::uint8_t> encode_dtype(Dtype dtype);
std::vector<std::uint8_t> encode_device(Device device);

// Resets what means nothing (the tensor of a scalar, strides that are null, entries past the rank),
// so that equal calls compare equal.
void canonical(const OpInfo& op, Call& call);

}  // namespace prelaunch::fuzz
