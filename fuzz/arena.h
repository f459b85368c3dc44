// Memory for calls. Everything lives in one reservation of address space, so a call gets addresses
// at no cost and memory only when it is to be run:
//
//   Arena& arena = Arena::instance();
//   Placement where = arena.place(call, tensors);           // untouchable addresses
//   if (arena.materialise(call, tensors, limits, seed)) {   // now there is memory, filled from
//   `seed`
//     ... launch, verify against arena.pristine(where) ...
//     arena.retire();                                       // untouchable again
//   }
//
// Untouchable means: poisoned for AddressSanitizer, or not mapped at all. Buffers of at most kDense
// bytes are kept mapped. Larger ones are sparse: only the pages that hold elements are mapped, so
// two rows with a stride past 2^31 elements cost two pages. A buffer that fits no slot gets an
// address that no process can map.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/backing.h"
#include "kernels/common/call.h"

namespace prelaunch::fuzz {

struct ArenaLimits {
  // Elements over all tensors of the call.
  std::int64_t max_elements = std::int64_t{1} << 14;
};

class Arena {
 public:
  static constexpr std::int64_t kDense = std::int64_t{1} << 16;
  static constexpr std::int64_t kSlot = std::int64_t{1} << 36;

  // Reserves the address space on first use; exits with a message where the system refuses it.
  static Arena& instance();

  // Addresses for the call's buffers. `tensors` is tensor_fields<Op>(). Where `other` is given, the
  // buffers are as large as the larger of the two calls needs them.
  Placement place(const Call& call, std::uint32_t tensors, const Call* other = nullptr);

  // Gives the placed call's buffers memory and contents, each byte a function of `seed`, the buffer
  // and the byte's offset. False, with nothing done, when the call cannot be run here: too many
  // elements, or a tensor with elements that lies in no buffer.
  bool materialise(const Call& call, std::uint32_t tensors, const ArenaLimits& limits,
                   std::uint32_t seed);

  // The same buffers in a second reservation with the same contents, which no launch can reach.
  // Always host-readable.
  static Placement pristine(const Placement& placement);

  // Makes the materialised buffers hold what the pristine copy holds, after the host changed that.
  void publish();

  // The materialised buffers' addresses for a launch, each on the device that owns it: those of
  // place(), where the device works on the arena's own memory.
  Placement on_devices() const;

  // After a launch: waits for it, and makes what the buffers hold readable at the addresses of
  // place(). A failure is that of a copy since materialise(), or of the kernel.
  [[nodiscard]] Status fetch();

  // Whether a byte of the materialised buffers, redzones included, differs from the pristine copy
  // outside of the tensors `written`; says which.
  std::optional<std::string> foreign_change(const std::vector<const TensorView*>& written);

  // Takes the memory back. Nothing to do for a call that was not materialised.
  void retire();

 private:
  enum class Kind : std::uint8_t { kDense, kSparse };
  // Mapped bytes of a buffer, its redzones or the rest of its pages included.
  struct Span {
    std::uintptr_t begin, end;
    std::uint8_t buffer;
    Kind kind;
  };

  using Transfer = Status (*)(const backing::Layout&, std::uintptr_t, std::uintptr_t, Device);

  Arena();
  bool give_up();
  Status upload() const;
  Status for_each_span(Transfer transfer) const;
  void add_pages(const TensorView& view, std::uint8_t buffer);
  bool map_pages();
  void copy_to_pristine(const TensorView& view) const;
  std::optional<std::string> first_difference(const Span& span) const;

  Placement placement_;
  std::vector<Span> spans_;
  std::array<Device, kMaxBuffers> owners_{};  // of the buffers
  Status status_;                             // of the copies since materialise()
  // A call without elements has no spans, but its buffers are device memory all the same.
  bool materialised_ = false;
};

}  // namespace prelaunch::fuzz
