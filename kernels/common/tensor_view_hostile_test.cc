// Random descriptors of extreme values against a second, plain statement of the well-formed rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/common/choices.h"
#include "kernels/common/tensor_view.h"
#include "kernels/common/test_views.h"

namespace prelaunch::testing {
namespace {

using Wide = __int128;
constexpr Wide kHuge = Wide{1} << 100;

// Saturates, for factors that are not negative: eight of the largest would not fit 128 bits.
Wide times(Wide a, Wide b) { return b != 0 && a > kHuge / b ? kHuge : std::min(kHuge, a * b); }

struct Hostile {
  DLTensor tensor{};
  // Exactly as long as the rank where that is accepted, else of one entry: reading on is a crash.
  std::vector<std::int64_t> shape, strides;
};

std::size_t entries(std::int32_t rank) {
  return rank < 0 || rank > 8 ? 1 : static_cast<std::size_t>(rank);
}

std::int64_t draw_dim(Choices& choose) {
  if (choose.below(4) != 0) return choose.between(0, 5);
  return choose.of({kMinInt64, kMinInt64 + 1, std::int64_t{-1}, std::int64_t{1} << 30,
                    std::int64_t{1} << 31, std::int64_t{1} << 61, std::int64_t{1} << 62,
                    kMaxInt64 - 1, kMaxInt64});
}

void draw_layout(Choices& choose, Hostile& h) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  const bool plain = choose.below(4) != 0;
  h.tensor.ndim = plain ? static_cast<std::int32_t>(choose.below(9))
                        : choose.of({-1, 9, 10, 1 << 20, kMost, -kMost, -kMost - 1});
  const bool extreme = choose.one_in(2);
  for (std::size_t i = 0; i < entries(h.tensor.ndim); ++i) {
    h.shape.push_back(extreme ? draw_dim(choose) : choose.between(0, 3));
    h.strides.push_back(extreme ? draw_dim(choose) : choose.between(0, 9));
  }
  h.tensor.shape = choose.one_in(16) ? nullptr : h.shape.data();
  h.tensor.strides = choose.one_in(3) ? nullptr : h.strides.data();
}

Hostile draw(Choices& choose) {
  Hostile h;
  draw_layout(choose, h);
  const bool plain = choose.below(4) != 0;
  h.tensor.dtype.code = static_cast<std::uint8_t>(choose.below(256));
  h.tensor.dtype.bits = static_cast<std::uint8_t>(
      plain ? choose.of({8, 16, 32, 64, 128}) : choose.of({0, 1, 4, 7, 8, 9, 127, 129, 255}));
  h.tensor.dtype.lanes = static_cast<std::uint16_t>(plain ? 1 : choose.of({0, 1, 2, 65535}));
  const auto type = static_cast<std::int32_t>(choose.one_in(2) ? 2 : choose.below(1ull << 32));
  std::memcpy(&h.tensor.device.device_type, &type, sizeof type);
  h.tensor.device.device_id = choose.of({0, 1, 1, 0, 2, -1, 1 << 30, ~(1 << 30)});
  const std::uint64_t data = choose.of({~0ull - 4095, 0ull, 4096ull, 4096ull, 1ull << 63, 4100ull});
  h.tensor.data = reinterpret_cast<void*>(data);
  h.tensor.byte_offset = choose.of({0ull, 0ull, 16ull, 3ull, 4096ull, 1ull << 63, ~0ull});
  return h;
}

// Of one past the last element, from the first; 0 without elements.
Wide extent_of(const Hostile& h, const std::vector<std::int64_t>& strides) {
  Wide last = 0;
  for (std::size_t i = 0; i < h.shape.size(); ++i) {
    if (h.shape[i] == 0) return 0;
    if (h.shape[i] > 1) last += times(h.shape[i] - 1, strides[i]);
  }
  return times(last + 1, h.tensor.dtype.bits / 8);
}

Wide product(const Hostile& h) {
  Wide elements = 1;
  for (const std::int64_t dim : h.shape) elements = times(elements, std::max<Wide>(dim, 1));
  return elements;
}

std::vector<std::int64_t> compact_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    Wide stride = 1;
    for (std::size_t j = i + 1; j < shape.size(); ++j) stride *= std::max<Wide>(shape[j], 1);
    strides[i] = static_cast<std::int64_t>(stride);
  }
  return strides;
}

bool any_negative_stride(const Hostile& h) {
  for (std::size_t i = 0; i < h.shape.size(); ++i) {
    if (h.tensor.strides != nullptr && h.shape[i] > 1 && h.strides[i] < 0) return true;
  }
  return false;
}

bool outside(const DLDevice& device) {
  std::int32_t type = 0;
  std::memcpy(&type, &device.device_type, sizeof type);
  return device.device_id < 0 || (type == 2 && device.device_id >= kDevices.cuda);
}

Flaw flaw_of(const Hostile& h) {
  const DLTensor& t = h.tensor;
  if (t.ndim > 0 && t.shape == nullptr) return Flaw::kPresent;
  if (t.ndim < 0 || t.ndim > 8) return Flaw::kRank;
  const std::array<int, 5> widths{8, 16, 32, 64, 128};
  if (std::ranges::find(widths, t.dtype.bits) == widths.end()) return Flaw::kDtypeWidth;
  if (t.dtype.lanes != 1) return Flaw::kDtypeWidth;
  if (std::ranges::any_of(h.shape, [](auto dim) { return dim < 0; })) return Flaw::kShape;
  if (any_negative_stride(h)) return Flaw::kStrides;
  if (times(product(h), t.dtype.bits / 8) > kMaxInt64) return Flaw::kSize;
  const Wide extent = extent_of(h, t.strides != nullptr ? h.strides : compact_strides(h.shape));
  const Wide data = reinterpret_cast<std::uintptr_t>(t.data);
  if (extent > kMaxInt64 || data + t.byte_offset + extent >= Wide{1} << 64) return Flaw::kSize;
  if (outside(t.device)) return Flaw::kDeviceIndex;
  const bool null = extent > 0 && data == 0;
  return null || (data + t.byte_offset) % (t.dtype.bits / 8) != 0 ? Flaw::kData : Flaw::kNone;
}

bool contiguous(const Hostile& h, const std::vector<std::int64_t>& strides) {
  const auto compact = compact_strides(h.shape);
  for (std::size_t i = 0; i < h.shape.size(); ++i) {
    if (h.shape[i] > 1 && strides[i] != compact[i]) return false;
  }
  return true;
}

// What a view without a flaw says of its layout.
void expect_layout(const Hostile& h, const TensorView& view) {
  const bool empty = std::ranges::count(h.shape, 0) > 0;
  const auto strides = h.tensor.strides != nullptr ? h.strides : compact_strides(h.shape);
  ASSERT_EQ(view.elements, empty ? 0 : static_cast<std::int64_t>(product(h)));
  ASSERT_EQ(view.extent, static_cast<std::int64_t>(extent_of(h, strides)));
  ASSERT_EQ(view.contiguous, empty || contiguous(h, strides));
  ASSERT_EQ(view.inner_contiguous,
            empty || strides.empty() || h.shape.back() == 1 || strides.back() == 1);
  for (std::size_t i = 0; i < strides.size(); ++i) {
    ASSERT_EQ(view.shape[i], h.shape[i]);
    ASSERT_EQ(view.strides[i], strides[i]);
  }
}

TEST(TensorViewHostile, EveryDescriptorIsJudgedLikeThePlainModel) {
  Choices choose(20261130);
  std::array<int, 9> seen{};
  for (int i = 0; i < 100'000; ++i) {
    const Hostile h = draw(choose);
    const TensorView view = TensorView::from(&h.tensor, kDevices);
    ASSERT_EQ(view.flaw, flaw_of(h)) << "descriptor " << i;
    if (view.flaw == Flaw::kNone) expect_layout(h, view);
    ASSERT_FALSE(HasFatalFailure()) << "descriptor " << i;
    ++seen[static_cast<std::size_t>(view.flaw)];
  }
  for (std::size_t flaw = 0; flaw < seen.size(); ++flaw) {
    EXPECT_GT(seen[flaw], 500) << "the generator hardly ever makes flaw " << flaw;
  }
}

}  // namespace
}  // namespace prelaunch::testing
