#include "kernels/emulator/memory.h"

#include <algorithm>
#include <new>
#include <vector>

#include "kernels/common/door.h"
#include "kernels/common/runs.h"
#include "kernels/emulator/block.h"
#include "kernels/emulator/order.h"
#include "kernels/emulator/sanitizer.h"

namespace prelaunch::emulator {
namespace {

constexpr std::size_t kAlignment = 256;
// Before the memory, so that it stays aligned; after it, at least 64 bytes.
constexpr std::size_t kRedzone = kAlignment;

struct Range {
  std::uintptr_t begin, end;
};

struct Holding {
  Range range;
  Device device;
  // What operator new gave; null when somebody else owns the range.
  void* storage;
  bool poisoned_here = true;
};

// By address.
std::vector<Holding> g_holdings;
// What the Regions of the moment opens.
std::vector<Range> g_regions;
HostAccess* g_accesses = nullptr;

std::uintptr_t address_of(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

// The first holding that begins after `address`.
std::vector<Holding>::iterator after(std::uintptr_t address) {
  return std::upper_bound(g_holdings.begin(), g_holdings.end(), address,
                          [](std::uintptr_t a, const Holding& h) { return a < h.range.begin; });
}

// The holding that `address` lies in, or null.
const Holding* find(std::uintptr_t address) {
  const auto next = after(address);
  if (next == g_holdings.begin() || address >= std::prev(next)->range.end) return nullptr;
  return &*std::prev(next);
}

void hold(const Holding& holding) {
  g_holdings.insert(after(holding.range.begin), holding);
  if (holding.poisoned_here) poison(holding.range.begin, holding.range.end);
}

// Forgets the holding that begins at `data` and is owned as asked; its storage, or nothing.
std::optional<Holding> let_go(const void* data, bool adopted) {
  const auto next =
      after(address_of(data));  // an empty holding contains no address, its own neither
  const Holding* holding = next == g_holdings.begin() ? nullptr : &*std::prev(next);
  if (holding == nullptr || holding->range.begin != address_of(data)) return std::nullopt;
  if ((holding->storage == nullptr) != adopted) return std::nullopt;
  const Holding found = *holding;
  g_holdings.erase(g_holdings.begin() + (holding - g_holdings.data()));
  return found;
}

// Calls visit(begin, end) for what of the view's runs lies in `holding`.
template <class Visit>
void for_each_held_run(const TensorView& view, const Holding& holding, Visit visit) {
  decompose(view, kMaxRuns).for_each([&](std::uintptr_t begin, std::uintptr_t end) {
    end = std::min(end, holding.range.end);
    if (begin < end) visit(begin, end);
  });
}

// A range of bytes as a view.
TensorView bytes_view(const void* data, std::size_t bytes, Device device = kCpuDevice) {
  const auto size = static_cast<std::int64_t>(bytes);
  TensorView::Descriptor range;
  range.data = address_of(data);
  range.device = device;
  range.dtype = kUInt8;
  range.rank = 1;
  range.shape = &size;
  return TensorView::from(range, {kDevices});
}

void open_access(const TensorView& view) {
  if (const Holding* holding = find(view.address); holding != nullptr) {
    for_each_held_run(view, *holding, unpoison);
  }
}

void close_access(const TensorView& view) {
  if (const Holding* holding = find(view.address); holding != nullptr) {
    for_each_held_run(view, *holding, poison);
  }
}

// The range to adopt, or an emulator fault.
Range checked_range(const void* base, std::size_t bytes) {
  const std::uintptr_t begin = address_of(base);
  if (bytes == 0 || bytes % kGranule != 0 || begin % kGranule != 0) {
    fault("adopted memory must start and end at multiples of 8 bytes");
  }
  const auto next = after(begin);
  if (find(begin) != nullptr || (next != g_holdings.end() && next->range.begin < begin + bytes)) {
    fault("adopted memory must not meet other device memory");
  }
  return {begin, begin + bytes};
}

}  // namespace

void* allocate(Device device, std::size_t bytes) {
  void* storage = ::operator new(kRedzone + bytes + kRedzone, std::align_val_t{kAlignment});
  const std::uintptr_t begin = address_of(storage) + kRedzone;
  static std::uint64_t seed = 0;
  fill_garbage(reinterpret_cast<void*>(begin), bytes, ++seed);
  poison(begin - kRedzone, begin + bytes + kRedzone);
  hold({{begin, begin + bytes}, device, storage});
  return reinterpret_cast<void*>(begin);
}

bool release(void* data) {
  const auto holding = let_go(data, false);
  if (!holding) return false;
  const std::uintptr_t begin = address_of(holding->storage);
  unpoison(begin, holding->range.end + kRedzone);
  ::operator delete(holding->storage, std::align_val_t{kAlignment});
  return true;
}

void adopt(void* base, std::size_t bytes, Device device) {
  hold({checked_range(base, bytes), device, nullptr});
}

void adopt_untouchable(void* base, std::size_t bytes, Device device) {
  hold({checked_range(base, bytes), device, nullptr, false});
}

void disown(void* base) {
  const auto holding = let_go(base, true);
  if (!holding) fault("only adopted memory can be disowned");
  if (holding->poisoned_here) unpoison(holding->range.begin, holding->range.end);
}

std::optional<Device> device_of(const void* data, std::size_t bytes) {
  const Holding* holding = find(address_of(data));
  if (holding == nullptr || bytes > holding->range.end - address_of(data)) return std::nullopt;
  return holding->device;
}

HostAccess::HostAccess(const TensorView& view) : view_(view), next_(g_accesses) { link(); }
HostAccess::HostAccess(const void* data, std::size_t bytes)
    : view_(bytes_view(data, bytes)), next_(g_accesses) {
  link();
}

void HostAccess::link() {
  if (next_ != nullptr) next_->previous_ = this;
  g_accesses = this;
  open_access(view_);
}

HostAccess::~HostAccess() {
  (previous_ != nullptr ? previous_->next_ : g_accesses) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  close_access(view_);
  resume_all();  // this may have closed what another one shares
}

void HostAccess::suspend_all() {
  for (const HostAccess* a = g_accesses; a != nullptr; a = a->next_) close_access(a->view_);
}

void HostAccess::resume_all() {
  for (const HostAccess* a = g_accesses; a != nullptr; a = a->next_) open_access(a->view_);
}

Regions::Regions() { g_regions.clear(); }

void Regions::add(const TensorView& view, Device launch_device) {
  device_ = launch_device;
  if (!view.given || view.flaw != Flaw::kNone || view.elements == 0) return;
  if (view.device != launch_device) return;
  const Holding* holding = find(view.address);
  if (holding == nullptr) {
    fault_ = "a tensor lies in memory that no device holds";
  } else if (holding->device == launch_device) {
    for_each_held_run(view, *holding, [](std::uintptr_t begin, std::uintptr_t end) {
      g_regions.push_back({begin, end});
    });
  }
}

void Regions::add(const void* data, std::size_t bytes, Device launch_device) {
  add(bytes_view(data, bytes, launch_device), launch_device);
}

Regions::Open::Open(const Regions& regions) {
  if (regions.fault_ != nullptr) fault(regions.fault_);
  if (regions.device_ && *regions.device_ != cuda(door::current_device())) {
    fault("the device of the launch is not current");
  }
  HostAccess::suspend_all();
  for (const Range& range : g_regions) unpoison(range.begin, range.end);
}

Regions::Open::~Open() {
  for (const Range& range : g_regions) poison(range.begin, range.end);
  HostAccess::resume_all();
}

}  // namespace prelaunch::emulator
