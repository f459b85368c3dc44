#include "kernels/common/contents.h"

#include <gtest/gtest.h>

#include <vector>

namespace prelaunch {
namespace {

struct Memory {
  std::vector<float> data = std::vector<float>(12, 9.0f);
  std::int64_t shape[2] = {3, 2}, strides[2] = {4, 1};
  TensorView view() const {
    TensorView::Descriptor descriptor;
    descriptor.data = reinterpret_cast<std::uintptr_t>(data.data());
    descriptor.dtype = kFloat32;
    descriptor.rank = 2;
    descriptor.shape = shape;
    descriptor.strides = strides;
    return TensorView::from(descriptor, {1});
  }
  void apply(const Fill& fill) {
    Choices choose(std::uint64_t{1});
    apply_fill(view(), fill, choose);
  }
};

TEST(Contents, AnOrdinaryFillLeavesWhatIsThere) {
  Memory memory;
  memory.apply({});
  EXPECT_EQ(memory.data, std::vector<float>(12, 9.0f));
}

TEST(Contents, ANumberFillsTheElementsAndNothingElse) {
  Memory memory;
  memory.apply({.kind = Fill::Kind::kNumber, .number = -1});
  EXPECT_EQ(memory.data, (std::vector<float>{-1, -1, 9, 9, -1, -1, 9, 9, -1, -1, 9, 9}));
}

TEST(Contents, BytesFillTheElementsAndNothingElse) {
  Memory memory;
  memory.apply({.kind = Fill::Kind::kBytes});
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(memory.data[i] == 9.0f, i % 4 > 1) << i;
}

TEST(Contents, SingleElementsComeLastAndOnlyWhereTheyExist) {
  Memory memory;
  memory.apply(
      {.kind = Fill::Kind::kNumber, .count = 3, .number = 0, .at = {{{3, 7}, {6, 8}, {-1, 8}}}});
  EXPECT_EQ(memory.data, (std::vector<float>{0, 0, 9, 9, 0, 7, 9, 9, 0, 0, 9, 9}));
}

}  // namespace
}  // namespace prelaunch
