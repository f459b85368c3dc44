#include "kernels/ulysses_pack/ulysses_pack.h"

#include <gtest/gtest.h>

#include "kernels/emulator/op_test.h"
#include "kernels/ulysses_pack/cases.h"
#include "kernels/ulysses_pack/contract.h"

namespace prelaunch::ulysses_pack {
namespace {

using Suite = emulator::OpTest<Op, Cases>;

// A valid call with q, k and v in buffers of their own and out given.
Call plain() { return make_call({"plain", 4, 6, 8, 2}); }

TEST(UlyssesPack, EveryCaseIsAccepted) { Suite::expect_every_case_accepted(); }
TEST(UlyssesPack, EverySmallCaseIsComputedRight) { Suite::expect_small_cases_right(6 << 13, 16); }
TEST(UlyssesPack, DrawnCallsAreAcceptedAndComputedRight) { Suite::expect_draws_right(20, 500); }
TEST(UlyssesPack, EveryEditBreaksItsRuleFirst) {
  Suite::expect_every_edit_breaks_its_rule_first(21);
}
TEST(UlyssesPack, EveryRuleOfItsOwnHasAnEdit) { Suite::expect_every_own_rule_has_an_edit(9); }

// --- one sole violation a rule: that id, its message, the argument to blame ---------------------

TEST(UlyssesPack, ShapesThatDifferAreRejected) {
  Call call = plain();
  call.values[kV].tensor.shape[0] = 5;
  EXPECT_EQ(Suite::verdict(call), "qkv.same_shape");
  EXPECT_EQ(Suite::message(call), "q, k, and v must have the same 3D shape");
  EXPECT_EQ(Suite::blamed(call), "v");
}

TEST(UlyssesPack, TwoDimensionalTensorsAreRejected) {
  Call call = plain();
  for (const std::size_t i : {kQ, kK, kV}) drop_last_dim(call.values[i].tensor);
  EXPECT_EQ(Suite::verdict(call), "qkv.same_shape");
  EXPECT_EQ(Suite::blamed(call), "q");
}

TEST(UlyssesPack, MemoryThatIsNotCudaIsRejected) {
  for (const DeviceType type : {DeviceType::kCpu, DeviceType::kCudaHost, DeviceType::kCudaManaged,
                                DeviceType::kRocm, static_cast<DeviceType>(77)}) {
    Call call = plain();
    call.values[kK].tensor.device.type = type;
    EXPECT_EQ(Suite::verdict(call), "qkv.cuda");
    EXPECT_EQ(Suite::message(call), "q, k, and v must be CUDA tensors");
    EXPECT_EQ(Suite::blamed(call), "k");
  }
}

// The seed's own situations: q bf16 with k f16; q on cuda:0 with k on cuda:1; v left in f16.
TEST(UlyssesPack, MixedDevicesAndDtypesAreRejectedWithTheSeedsMessage) {
  const std::string kMessage = "q, k, and v must have the same device and dtype";
  Call k_half = plain(), k_elsewhere = plain(), v_half = plain();
  k_half.values[kK].tensor.dtype = kFloat16;
  k_elsewhere.values[kK].tensor.device = cuda(1);
  v_half.values[kV].tensor.dtype = kFloat16;
  for (const Call& call : {k_half, k_elsewhere, v_half}) {
    EXPECT_EQ(Suite::verdict(call), "qkv.same_device_dtype");
    EXPECT_EQ(Suite::message(call), kMessage);
  }
  EXPECT_EQ(Suite::blamed(k_half), "k");
  EXPECT_EQ(Suite::blamed(v_half), "v");
}

TEST(UlyssesPack, SixteenByteElementsAreRejected) {
  const Call call = make_call({"", 2, 2, 4, 2, {DtypeCode::kComplex, 128, 1}});
  EXPECT_EQ(Suite::verdict(call), "qkv.dtype");
  EXPECT_EQ(Suite::message(call),
            "q, k, and v must have a 1-, 2-, 4- or 8-byte dtype, got torch.complex128");
}

TEST(UlyssesPack, StridedHeadSizeIsRejected) {
  for (const std::int64_t stride : {0, 2}) {
    Call call = plain();
    call.values[kQ].tensor.strides[2] = stride;
    EXPECT_EQ(Suite::verdict(call), "qkv.inner_contiguous");
    EXPECT_EQ(Suite::message(call), "q, k, and v must be contiguous in head_size");
  }
}

TEST(UlyssesPack, WorldSizesThatDoNotDivideTheHeadsAreRejected) {
  for (const std::int64_t world_size : {std::int64_t{0}, std::int64_t{-2}, std::int64_t{4},
                                        std::int64_t{12}, INT64_MIN, INT64_MAX}) {
    Call call = plain();
    call.values[kWorldSize].integer = world_size;
    EXPECT_EQ(Suite::verdict(call), "world_size.divides_heads");
    EXPECT_EQ(Suite::message(call), "world_size must be positive and divide global_heads");
  }
}

TEST(UlyssesPack, AnAbsentOutputThatDoesNotFitIsRejected) {
  const std::int64_t rows = std::int64_t{1} << 60;
  Call call = make_call({"", 2, 2, 1, 1, kBfloat16, Layout::kContiguous, Out::kAbsent});
  for (const std::size_t i : {kQ, kK, kV}) {
    call.values[i].tensor.shape[0] = rows;
    call.values[i].tensor.strides[0] = 0;
  }
  EXPECT_EQ(Suite::verdict(call), "out.size");
  for (const std::size_t i : {kQ, kK, kV}) call.values[i].tensor.shape[0] = rows >> 2;
  EXPECT_EQ(Suite::verdict(call), "accepted");
}

TEST(UlyssesPack, AnAbsentEmptyOutputWithAnOversizedDimensionIsRejected) {
  Call call = make_call({"", 0, 2, 1, 1, kUInt8, Layout::kContiguous, Out::kAbsent});
  for (const std::size_t i : {kQ, kK, kV}) {
    call.values[i].tensor.shape[2] = std::int64_t{1} << 61;
  }
  EXPECT_EQ(Suite::verdict(call), "out.size");
}

TEST(UlyssesPack, OutputsThatDoNotMatchAreRejected) {
  constexpr std::string_view kMessage =
      "out must be a contiguous tensor with the expected shape, device, and dtype";
  Call strided = plain(), flat = plain(), elsewhere = plain(), half = plain(), wide = plain();
  strided.values[kOut].tensor.strides[0] += 8;
  drop_last_dim(flat.values[kOut].tensor);
  elsewhere.values[kOut].tensor.device = cuda(1);
  half.values[kOut].tensor.dtype = kFloat16;
  wide.values[kOut].tensor.shape[3] += 1;
  for (const Call& call : {strided, flat, elsewhere, half, wide}) {
    EXPECT_EQ(Suite::verdict(call), "out.matches");
    EXPECT_EQ(Suite::message(call), kMessage);
    EXPECT_EQ(Suite::blamed(call), "out");
  }
}

TEST(UlyssesPack, AnOutputThatSharesOneByteIsRejected) {
  Call call = plain();
  TensorSpec& out = call.values[kOut].tensor;
  out.buffer = kV;
  out.offset = static_cast<std::uint64_t>(4 * 6 * 8 * 2) - 2;
  EXPECT_EQ(Suite::verdict(call), "out.no_overlap");
  EXPECT_EQ(Suite::message(call), "out must not overlap q, k, or v");
  out.offset += 2;
  EXPECT_EQ(Suite::verdict(call), "accepted");
}

TEST(UlyssesPack, AnOutputInTheGapsOfAnInputIsAccepted) {
  // One row of out fits between two rows of q: the extents cross, no byte is shared.
  Call call = make_call({"", 2, 1, 4, 1});
  TensorSpec& q = call.values[kQ].tensor;
  q.strides[0] = 64;
  TensorSpec& out = call.values[kOut].tensor;
  out.buffer = kQ;
  out.offset = 16;
  EXPECT_EQ(Suite::verdict(call), "accepted");
  Suite::expect_right(call, "out between the rows of q");
}

// --- every layout that the page accepts ---------------------------------------------------------

TEST(UlyssesPack, StridesOfSingleDimensionsMeanNothing) {
  Call call = make_call({"", 1, 1, 1, 1});
  for (const std::size_t i : {kQ, kK, kV, kOut}) {
    TensorSpec& t = call.values[i].tensor;
    for (std::int32_t d = 0; d < t.rank; ++d) {
      if (t.shape[static_cast<std::size_t>(d)] == 1) {
        t.strides[static_cast<std::size_t>(d)] = d % 2 == 0 ? -7 : INT64_MAX;
      }
    }
  }
  EXPECT_EQ(Suite::verdict(call), "accepted");
  Suite::expect_right(call, "single dimensions");
}

TEST(UlyssesPack, InputsMayOverlapEachOther) {
  Call call = plain();
  for (const std::size_t i : {kK, kV}) {
    call.values[i].tensor.buffer = kQ;
    call.values[i].tensor.offset = 16;
  }
  EXPECT_EQ(Suite::verdict(call), "accepted");
  Suite::expect_right(call, "overlapping inputs");
}

TEST(UlyssesPack, NullStridesAreCompact) {
  Call call = plain();
  for (const std::size_t i : {kQ, kK, kV, kOut}) call.values[i].tensor.null_strides = true;
  Suite::expect_right(call, "null strides");
}

TEST(UlyssesPack, EveryUnitFromSixteenBytesToOneIsComputedRight) {
  for (const Dtype dtype : {kUInt8, kBfloat16, kFloat32, kFloat64}) {
    for (std::int64_t head_size = 1; head_size <= 17; ++head_size) {
      for (const Layout layout : {Layout::kFused, Layout::kPadded, Layout::kShifted}) {
        Suite::expect_right(make_call({"", 2, 4, head_size, 2, dtype, layout}),
                            std::to_string(head_size));
      }
    }
  }
}

TEST(UlyssesPack, LaunchesOnTheTensorsDeviceAndRestoresTheCallers) {
  Suite::expect_launched_on_the_tensors_device(plain());
}

TEST(UlyssesPack, AFailedLaunchNamesTheOpAndLeavesNothingAllocated) {
  Suite::expect_a_failed_launch_named(
      make_call({"", 2, 4, 8, 2, kBfloat16, Layout::kContiguous, Out::kAbsent}));
}

TEST(UlyssesPack, EmptyCallsLaunchNothing) {
  const Call call = make_call({"", 0, 8, 16, 2});
  const Args args = Suite::args_of(call);
  const Check<Op> checked = check<Op>(args);
  ASSERT_TRUE(checked);
  const std::uint64_t before = door::counts().launches;
  EXPECT_TRUE(launch(checked.accepted(), nullptr).status.ok());
  EXPECT_EQ(door::counts().launches, before);
}

}  // namespace
}  // namespace prelaunch::ulysses_pack
