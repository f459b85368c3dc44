#include "fuzz/arena.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fuzz/backing.h"
#include "kernels/common/choices.h"
#include "kernels/common/runs.h"
#include "kernels/emulator/sanitizer.h"

namespace prelaunch::fuzz {
namespace {

// Where kernels do not work on it there is nothing to be caught.
void poison(std::uintptr_t begin, std::uintptr_t end) {
  if constexpr (backing::kInPlace) emulator::poison(begin, end);
}
void unpoison(std::uintptr_t begin, std::uintptr_t end) {
  if constexpr (backing::kInPlace) emulator::unpoison(begin, end);
}

constexpr std::uintptr_t kPage = 4096;
constexpr std::uintptr_t kRedzone = 64;
// Inside a slot: a page, the dense zone, a page; from kSparse on, sparse buffers.
constexpr std::uintptr_t kDenseStart = kPage;
constexpr std::uintptr_t kDenseEnd = kDenseStart + Arena::kDense + kPage;
constexpr std::uintptr_t kSparseStart = std::uintptr_t{1} << 20;
constexpr std::int64_t kSparse = Arena::kSlot - (std::int64_t{1} << 21);
// Not an address that user space can have.
constexpr std::uintptr_t kUnmappable = std::uintptr_t{1} << 56;
// A tensor of more runs than the emulator opens one by one is opened by its extent, which must then
// be moderate.
constexpr std::int64_t kMaxExtent = std::int64_t{1} << 30;
// The kernel allows about 65,000 mappings a process.
constexpr std::size_t kMaxSpans = 10'000;

constexpr std::uintptr_t kTwin = kMaxBuffers * static_cast<std::uintptr_t>(Arena::kSlot);

std::uintptr_t reserve() {
  void* start =
      mmap(nullptr, 2 * kTwin, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) {
    std::fprintf(stderr, "prelaunch: cannot reserve %llu GiB of address space for the arena: %s\n",
                 static_cast<unsigned long long>(2 * kTwin >> 30), std::strerror(errno));
    std::exit(3);
  }
  return reinterpret_cast<std::uintptr_t>(start);
}

std::uintptr_t reservation() {
  static const std::uintptr_t start = reserve();
  return start;
}

backing::Layout layout() {
  return {reservation(), static_cast<std::uintptr_t>(Arena::kSlot), kMaxBuffers};
}

void protect(std::uintptr_t begin, std::uintptr_t end, int protection) {
  if (mprotect(reinterpret_cast<void*>(begin), end - begin, protection) == 0) return;
  std::fprintf(stderr, "prelaunch: cannot map %llu bytes for the arena: %s\n",
               static_cast<unsigned long long>(end - begin), std::strerror(errno));
  std::exit(3);
}

// Random bytes; repeated once so that any start is followed by kBytes of them.
class Contents {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 16;

  Contents() {
    Choices random(std::uint64_t{0x70726c6e});
    for (std::size_t i = 0; i < kBytes; ++i) {
      bytes_[i] = bytes_[i + kBytes] = static_cast<std::uint8_t>(random.below(256));
    }
  }

  // Writes the bytes [begin, end) of `buffer`, which lies at `base`.
  void write(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t base,
             std::uint64_t key) const {
    while (begin < end) {
      const std::size_t start = (begin - base + key * 7919) % kBytes;
      const std::size_t count = std::min<std::size_t>(end - begin, kBytes);
      std::memcpy(reinterpret_cast<void*>(begin), bytes_.data() + start, count);
      begin += count;
    }
  }

 private:
  std::array<std::uint8_t, 2 * kBytes> bytes_;
};

const Contents& contents() {
  static const Contents table;
  return table;
}

TensorView view_of(const TensorSpec& spec, const Placement& placement) {
  const DLTensor tensor = describe(spec, placement.base[spec.buffer % kMaxBuffers]);
  return TensorView::from(&tensor, DeviceCount{std::numeric_limits<std::int32_t>::max()});
}

// A byte offset near 2^63 leads out of what was measured, and need not wrap.
bool lies_within(const TensorView& view, std::uintptr_t base, std::int64_t size) {
  return view.extent <= size &&
         view.address - base <= static_cast<std::uintptr_t>(size - view.extent);
}

std::int64_t add_saturating(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

bool can_be_run(const TensorView& view, const TensorSpec& spec, const Placement& placement) {
  if (view.flaw != Flaw::kNone) return false;
  if (view.elements == 0) return true;
  const std::int64_t size = placement.size[spec.buffer];
  return spec.source == DataSource::kBuffer && size <= kSparse &&
         lies_within(view, placement.base[spec.buffer], size) &&
         (view.extent <= kMaxExtent || decompose(view).count <= kMaxRuns);
}

// A larger buffer holds no element of a call that can be run: only huge offsets of empty tensors.
bool has_memory(std::int64_t size) { return size > 0 && size <= kSparse; }

// The device of the first tensor that lies in `buffer`.
Device owner(const Call& call, std::uint32_t tensors, std::size_t buffer) {
  for (std::size_t i = 0; i < kMaxFields; ++i) {
    const TensorSpec& t = call.values[i].tensor;
    if ((tensors >> i & 1) != 0 && !call.values[i].absent && t.buffer == buffer) return t.device;
  }
  return cuda(0);
}

}  // namespace

Arena& Arena::instance() {
  static Arena arena;
  return arena;
}

Arena::Arena() {
  for (std::size_t i = 0; i < kMaxBuffers; ++i) {
    const std::uintptr_t slot = reservation() + i * static_cast<std::uintptr_t>(kSlot);
    protect(slot, slot + kDenseEnd, PROT_READ | PROT_WRITE);
    protect(slot + kTwin, slot + kTwin + kDenseEnd, PROT_READ | PROT_WRITE);
    poison(slot, slot + kDenseEnd);
  }
}

Placement Arena::place(const Call& call, std::uint32_t tensors, const Call* other) {
  placement_ = measure_buffers(call, tensors);
  if (other != nullptr) {
    const Placement second = measure_buffers(*other, tensors);
    for (std::size_t i = 0; i < kMaxBuffers; ++i) {
      placement_.size[i] = std::max(placement_.size[i], second.size[i]);
    }
  }
  for (std::size_t i = 0; i < kMaxBuffers; ++i) {
    const std::uintptr_t slot = reservation() + i * static_cast<std::uintptr_t>(kSlot);
    placement_.base[i] = placement_.size[i] <= kDense    ? slot + kDenseStart
                         : placement_.size[i] <= kSparse ? slot + kSparseStart
                                                         : kUnmappable;
  }
  return placement_;
}

Placement Arena::pristine(const Placement& placement) {
  Placement twin = placement;
  for (std::uintptr_t& base : twin.base) base += kTwin;
  return twin;
}

bool Arena::materialise(const Call& call, std::uint32_t tensors, const ArenaLimits& limits,
                        std::uint32_t seed) {
  std::int64_t elements = 0;
  spans_.clear();
  for (std::size_t i = 0; i < kMaxFields; ++i) {
    const Value& value = call.values[i];
    if ((tensors >> i & 1) == 0 || value.absent) continue;
    const TensorView view = view_of(value.tensor, placement_);
    if (!can_be_run(view, value.tensor, placement_)) return give_up();
    elements = add_saturating(elements, view.elements);
    if (elements > limits.max_elements) return give_up();
    const std::uint8_t buffer = value.tensor.buffer;
    if (placement_.size[buffer] > kDense) add_pages(view, buffer);
  }
  for (std::size_t i = 0; i < kMaxBuffers; ++i) {
    owners_[i] = owner(call, tensors, i);
    if (has_memory(placement_.size[i]) && !backing::has(owners_[i])) return give_up();
  }
  if (!map_pages()) return give_up();
  // Of two calls that share a placement this one may need less; where no sanitizer watches, only
  // its redzones tell.
  const Placement own = measure_buffers(call, tensors);
  for (std::size_t i = 0; i < kMaxBuffers; ++i) {
    const std::int64_t size = placement_.size[i];
    if (!has_memory(size)) continue;
    const std::uintptr_t base = placement_.base[i];
    backing::own(base, size, owners_[i]);
    if (size > kDense) continue;
    const std::int64_t held = backing::kInPlace ? size : own.size[i];
    spans_.push_back({base - kRedzone, base + static_cast<std::uintptr_t>(held) + kRedzone,
                      static_cast<std::uint8_t>(i), Kind::kDense});
  }
  for (const Span& span : spans_) {
    unpoison(span.begin, span.end);
    const std::uint64_t key = span.buffer + kMaxBuffers * std::uint64_t{seed};
    const std::uintptr_t base = placement_.base[span.buffer];
    contents().write(span.begin, span.end, base, key);
    contents().write(span.begin + kTwin, span.end + kTwin, base + kTwin, key);
    poison(span.begin, span.end);
  }
  materialised_ = true;
  status_ = upload();
  return true;
}

bool Arena::give_up() {
  spans_.clear();
  return false;
}

void Arena::add_pages(const TensorView& view, std::uint8_t buffer) {
  decompose(view).for_each([&](std::uintptr_t first, std::uintptr_t last) {
    const std::uintptr_t begin = first / kPage * kPage;
    const std::uintptr_t end = (last + kPage - 1) / kPage * kPage;
    if (!spans_.empty() && spans_.back().begin <= begin && begin <= spans_.back().end) {
      spans_.back().end = std::max(spans_.back().end, end);
    } else {
      spans_.push_back({begin, end, buffer, Kind::kSparse});
    }
  });
}

// Merges the sparse spans collected so far and maps them in both reservations, if they are not too
// many.
bool Arena::map_pages() {
  std::sort(spans_.begin(), spans_.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::size_t merged = 0;
  for (const Span& span : spans_) {
    if (merged > 0 && span.begin <= spans_[merged - 1].end) {
      spans_[merged - 1].end = std::max(spans_[merged - 1].end, span.end);
    } else {
      spans_[merged++] = span;
    }
  }
  spans_.resize(merged);
  if (merged > kMaxSpans) return false;
  for (const Span& span : spans_) {
    if (backing::map(layout(), span.begin, span.end, owners_[span.buffer])) continue;
    backing::unmap_all();
    return false;
  }
  for (const Span& span : spans_) {
    protect(span.begin, span.end, PROT_READ | PROT_WRITE);
    protect(span.begin + kTwin, span.end + kTwin, PROT_READ | PROT_WRITE);
  }
  return true;
}

void Arena::publish() {
  for (const Span& span : spans_) {
    unpoison(span.begin, span.end);
    std::memcpy(reinterpret_cast<void*>(span.begin),
                reinterpret_cast<const void*>(span.begin + kTwin), span.end - span.begin);
    poison(span.begin, span.end);
  }
  if (status_.ok()) status_ = upload();
}

Status Arena::upload() const { return for_each_span(backing::upload); }

Status Arena::fetch() {
  if (status_.ok()) status_ = for_each_span(backing::download);
  return status_;
}

Status Arena::for_each_span(Transfer transfer) const {
  for (const Span& span : spans_) {
    Status status = transfer(layout(), span.begin, span.end, owners_[span.buffer]);
    if (!status.ok()) return status;
  }
  return {};
}

Placement Arena::on_devices() const {
  Placement placement = placement_;
  for (std::size_t i = 0; i < kMaxBuffers; ++i) {
    if (!has_memory(placement.size[i])) continue;
    placement.base[i] = backing::on_device(layout(), placement.base[i], owners_[i]);
  }
  return placement;
}

std::optional<std::string> Arena::foreign_change(const std::vector<const TensorView*>& written) {
  for (const Span& span : spans_) unpoison(span.begin, span.end);
  for (const TensorView* view : written) copy_to_pristine(*view);
  std::optional<std::string> found;
  for (const Span& span : spans_) {
    if (!found.has_value()) found = first_difference(span);
    poison(span.begin, span.end);
  }
  return found;
}

// Outputs may differ: afterwards they do not. Memory that the arena does not own is left alone.
void Arena::copy_to_pristine(const TensorView& view) const {
  if (view.address - reservation() >= kTwin) return;
  decompose(view).for_each([](std::uintptr_t begin, std::uintptr_t end) {
    std::memcpy(reinterpret_cast<void*>(begin + kTwin), reinterpret_cast<const void*>(begin),
                end - begin);
  });
}

std::optional<std::string> Arena::first_difference(const Span& span) const {
  const auto* now = reinterpret_cast<const std::uint8_t*>(span.begin);
  const auto* before = reinterpret_cast<const std::uint8_t*>(span.begin + kTwin);
  const std::size_t count = span.end - span.begin;
  if (std::memcmp(now, before, count) == 0) return std::nullopt;
  const auto offset = static_cast<std::size_t>(std::mismatch(now, now + count, before).first - now);
  const auto position =
      static_cast<std::int64_t>(span.begin + offset - placement_.base[span.buffer]);
  return fmt::format("byte {} of buffer {} (of {} bytes) changed from {:#04x} to {:#04x}", position,
                     span.buffer, placement_.size[span.buffer], before[offset], now[offset]);
}

void Arena::retire() {
  if (!materialised_) return;
  for (std::size_t i = 0; i < kMaxBuffers; ++i) {
    if (!has_memory(placement_.size[i])) continue;
    backing::disown(placement_.base[i]);
  }
  backing::unmap_all();
  for (const Span& span : spans_) {
    if (span.kind == Kind::kDense) continue;
    for (const std::uintptr_t shift : {std::uintptr_t{0}, kTwin}) {
      madvise(reinterpret_cast<void*>(span.begin + shift), span.end - span.begin, MADV_DONTNEED);
      protect(span.begin + shift, span.end + shift, PROT_NONE);
    }
  }
  spans_.clear();
  materialised_ = false;
}

}  // namespace prelaunch::fuzz
