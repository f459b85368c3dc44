#include "fuzz/mutate.h"

#include <algorithm>

#include "fuzz/codec.h"
#include "fuzz/edit.h"

// libFuzzer's byte mutations, which know its dictionary and what was compared; null with engines
// that have none.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                                              std::size_t max_size);

namespace prelaunch::fuzz {
namespace {

using Bytes = std::span<std::uint8_t>;
using ConstBytes = std::span<const std::uint8_t>;

// The first byte says that an input is generated, the second which kind of call it is; its choices
// follow.
constexpr std::size_t kHeader = 2;
// One of so many outputs is explicit.
constexpr std::uint64_t kExplicitFromGenerated = 48, kExplicitFromExplicit = 24;

bool is_generated(ConstBytes input) { return !input.empty() && (input[0] & 1) != 0; }

bool draw_explicit(ConstBytes parent, Choices& choose) {
  return choose.one_in(is_generated(parent) ? kExplicitFromGenerated : kExplicitFromExplicit);
}

std::uint8_t any_byte(Choices& choose) { return static_cast<std::uint8_t>(choose.below(256)); }

std::size_t engine_mutate(Bytes room, std::size_t size) {
  if (LLVMFuzzerMutate == nullptr || room.empty()) return 0;
  return LLVMFuzzerMutate(room.data(), size, room.size());
}

Bytes generated_room(Bytes room) { return room.first(std::min(room.size(), kMaxGeneratedBytes)); }

// Makes what lies in `room` a generated input of `size` bytes of a random kind.
std::size_t finish_generated(Bytes room, std::size_t size, Choices& choose) {
  if (size > 0) room[0] = 1;
  if (size > 1) room[1] = any_byte(choose);
  return size;
}

// Choices past the end of an input come from a generator that its bytes seed, so short inputs reach
// as far as long ones; of long ones single choices can be changed.
std::size_t fresh(Bytes room, Choices& choose) {
  room = generated_room(room);
  const std::size_t size = std::min(room.size(), kHeader + choose.below(kMaxGeneratedBytes / 2));
  for (std::uint8_t& byte : room.first(size)) byte = any_byte(choose);
  return finish_generated(room, size, choose);
}

std::size_t insert_byte(Bytes room, std::size_t size, Choices& choose) {
  if (size == room.size()) return size;
  const auto at = static_cast<std::ptrdiff_t>(choose.below(size + 1));
  const auto end = room.begin() + static_cast<std::ptrdiff_t>(size);
  std::copy_backward(room.begin() + at, end, end + 1);
  room[static_cast<std::size_t>(at)] = any_byte(choose);
  return size + 1;
}

std::size_t erase_byte(Bytes room, std::size_t size, Choices& choose) {
  if (size == 0) return size;
  const auto at = room.begin() + static_cast<std::ptrdiff_t>(choose.below(size));
  std::copy(at + 1, room.begin() + static_cast<std::ptrdiff_t>(size), at);
  return size - 1;
}

std::size_t redraw_bytes(Bytes room, std::size_t size, std::size_t most, Choices& choose) {
  if (size == 0) return size;
  const std::size_t at = choose.below(size);
  const std::size_t count = std::min(size - at, most);
  for (std::uint8_t& byte : room.subspan(at, count)) byte = any_byte(choose);
  return size;
}

// What a byte decides depends on those before it: inserting and erasing moves all later decisions.
std::size_t mutate_choices(Bytes room, std::size_t size, Choices& choose) {
  switch (choose.below(8)) {
    case 0:
      return insert_byte(room, size, choose);
    case 1:
      return erase_byte(room, size, choose);
    case 2:
      return redraw_bytes(room, size, room.size(), choose);
    default:
      return redraw_bytes(room, size, 1, choose);
  }
}

std::size_t mutate_generated(Bytes room, std::size_t size, Choices& choose) {
  room = generated_room(room);
  size = std::min(size, room.size());
  if (size <= kHeader) return fresh(room, choose);
  const Bytes choices = room.subspan(kHeader);
  std::size_t count = size - kHeader;
  const std::size_t changed = choose.one_in(4) ? engine_mutate(choices, count) : 0;
  count = changed > 0 ? changed : mutate_choices(choices, count, choose);
  return finish_generated(room, kHeader + count, choose);
}

// The call of an input that lies in `room`, edited; 0 when the explicit form does not fit.
std::size_t mutate_explicit(const OpInfo& op, Bytes room, std::size_t size, Choices& choose) {
  const bool is_explicit = size > 1 && !is_generated(room.first(size));
  if (is_explicit && choose.one_in(4)) {
    // After the first byte, which keeps the form.
    const std::size_t changed = engine_mutate(room.subspan(1), size - 1);
    if (changed > 0) return 1 + changed;
  }
  Call call;
  decode(op, room.first(size), call);
  if (choose.one_in(16)) call.current_device = static_cast<std::int32_t>(choose.between(-1, 2));
  edit_once(op.fields, call, choose);
  return encode(op, call, room);
}

// `second` with some of the fields of `first`; 0 when the explicit form does not fit.
std::size_t cross_explicit(const OpInfo& op, ConstBytes first, ConstBytes second, Bytes out,
                           Choices& choose) {
  Call call, from;
  decode(op, second, call);
  decode(op, first, from);
  for (std::size_t i = 0; i < op.fields.size(); ++i) {
    if (choose.one_in(3)) call.values[i] = from.values[i];
  }
  return encode(op, call, out);
}

// The choices of `first` before some place, those of `second` after it. Where `second` has none,
// `first` is mutated.
std::size_t cross_generated(ConstBytes first, ConstBytes second, Bytes out, Choices& choose) {
  out = generated_room(out);
  first = is_generated(first) ? first.first(std::min(first.size(), out.size())) : ConstBytes();
  std::copy(first.begin(), first.end(), out.begin());
  if (!is_generated(second) || std::min(first.size(), second.size()) <= kHeader) {
    return mutate_generated(out, first.size(), choose);
  }
  second = second.first(std::min(second.size(), out.size()));
  const std::size_t shared = std::min(first.size(), second.size());
  const std::size_t cut = kHeader + choose.below(shared - kHeader + 1);
  std::copy(second.begin() + static_cast<std::ptrdiff_t>(cut), second.end(),
            out.begin() + static_cast<std::ptrdiff_t>(cut));
  return finish_generated(out, second.size(), choose);
}

}  // namespace

std::size_t mutate(const OpInfo& op, std::uint8_t* data, std::size_t size, std::size_t max_size,
                   std::uint32_t seed) {
  Choices choose(std::uint64_t{seed});
  const Bytes room(data, max_size);
  size = std::min(size, max_size);
  if (draw_explicit(room.first(size), choose)) {
    const std::size_t changed = mutate_explicit(op, room, size, choose);
    if (changed > 0) return changed;
    size = 0;  // what lies there is spoilt
  }
  const std::size_t parent = is_generated(room.first(size)) ? size : 0;
  return mutate_generated(room, parent, choose);
}

std::size_t cross_over(const OpInfo& op, std::span<const std::uint8_t> first,
                       std::span<const std::uint8_t> second, std::span<std::uint8_t> out,
                       std::uint32_t seed) {
  Choices choose(std::uint64_t{seed});
  if (draw_explicit(first, choose)) {
    const std::size_t size = cross_explicit(op, first, second, out, choose);
    if (size > 0) return size;
  }
  return cross_generated(first, second, out, choose);
}

}  // namespace prelaunch::fuzz
