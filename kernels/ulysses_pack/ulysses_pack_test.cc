#include "kernels/ulysses_pack/ulysses_pack.h"

#include <gtest/gtest.h>

#include <set>

#include "kernels/common/explain.h"
#include "kernels/emulator/call_memory.h"
#include "kernels/emulator/grid.h"
#include "kernels/ulysses_pack/cases.h"
#include "kernels/ulysses_pack/contract.h"

namespace prelaunch::ulysses_pack {
namespace {

constexpr std::uint32_t kTensors = tensor_fields<Op>();
constexpr std::uintptr_t kSomewhere = std::uintptr_t{1} << 40;
constexpr DeviceCount kTwoDevices{2};

Args args_of(const Call& call) {
  return bind<Op>(call, place_buffers(call, kTensors, kSomewhere), kTwoDevices);
}

std::string id(std::size_t rule) {
  if (rule == kNoRule) return "accepted";
  return std::string(kRules<Op>[rule].argument) + "." + std::string(kRules<Op>[rule].property);
}

std::string verdict(const Call& call) {
  const Args args = args_of(call);
  return id(check<Op>(args).broken());
}

std::string message(const Call& call) {
  const Args args = args_of(call);
  const Check<Op> checked = check<Op>(args);
  return checked ? "accepted" : explain(checked).message;
}

std::string blamed(const Call& call) {
  const Args args = args_of(call);
  const Check<Op> checked = check<Op>(args);
  return checked ? "accepted" : explain(checked).argument;
}

// A valid call with q, k and v in buffers of their own and out given.
Call plain() { return make_call({"plain", 4, 6, 8, 2}); }

// Runs the call and compares it with the definition, under two orders of threads.
void expect_right(const Call& call, const std::string& what) {
  for (const std::uint64_t order : {0u, 7u}) {
    emulator::CallMemory<Op> memory(call);
    const Args args = bind<Op>(call, memory.on_device(), door::device_count());
    const Check<Op> checked = check<Op>(args);
    ASSERT_TRUE(checked) << what << ": " << explain(checked).message;
    emulator::set_order(order);
    const Launched<Args> launched = launch(checked.accepted(), nullptr);
    ASSERT_TRUE(launched.status.ok()) << what << ": " << launched.status.message();
    {
      const emulator::HostAccess access(launched.args.out);
      const auto wrong =
          verify(bind<Op>(call, memory.before(), door::device_count()), launched.args);
      EXPECT_FALSE(wrong.has_value()) << what << ": " << wrong.value_or("");
    }
    if (!args.out.given && launched.args.out.elements > 0) {
      ASSERT_TRUE(door::release(reinterpret_cast<void*>(launched.args.out.address), nullptr).ok());
    }
  }
}

bool runs_here(const Case& of) { return of.rows * of.heads * of.head_size <= 1 << 13; }

TEST(UlyssesPack, EveryCaseIsAccepted) {
  for (const Case& of : kCases) EXPECT_EQ(verdict(make_call(of)), "accepted") << of.name;
}

TEST(UlyssesPack, EverySmallCaseIsComputedRight) {
  int run = 0;
  for (const Case& of : kCases) {
    if (!runs_here(of)) continue;
    expect_right(make_call(of), std::string(of.name));
    ++run;
  }
  EXPECT_GE(run, 16);
}

TEST(UlyssesPack, DrawnCallsAreAcceptedAndComputedRight) {
  Choices choose(std::uint64_t{20});
  for (int i = 0; i < 500; ++i) {
    const Call call = make_call(draw_case(choose));
    expect_right(call, "draw " + std::to_string(i));
    if (HasFatalFailure()) return;
  }
}

TEST(UlyssesPack, EveryEditBreaksItsRuleFirst) {
  Choices choose(std::uint64_t{21});
  for (const Violation& violation : kViolations) {
    int applied = 0;
    for (int i = 0; i < 300; ++i) {
      Call call = make_call(draw_case(choose));
      if (!violation.edit(call, choose)) continue;
      ++applied;
      ASSERT_EQ(verdict(call), violation.rule);
    }
    EXPECT_GT(applied, 0) << violation.rule;
  }
}

TEST(UlyssesPack, EveryRuleOfItsOwnHasAnEdit) {
  std::set<std::string> edited;
  for (const Violation& violation : kViolations) edited.emplace(violation.rule);
  constexpr std::size_t kWellFormed = 4 * 8;  // q, k, v, out
  ASSERT_EQ(kRules<Op>.size(), kWellFormed + 9);
  for (std::size_t i = kWellFormed; i < kRules<Op>.size(); ++i) {
    EXPECT_EQ(edited.count(id(i)), 1u) << id(i);
  }
}

// --- one sole violation a rule: that id, its message, the argument to blame
// -------------------------

TEST(UlyssesPack, ShapesThatDifferAreRejected) {
  Call call = plain();
  call.values[kV].tensor.shape[0] = 5;
  EXPECT_EQ(verdict(call), "qkv.same_shape");
  EXPECT_EQ(message(call), "q, k, and v must have the same 3D shape");
  EXPECT_EQ(blamed(call), "v");
}

TEST(UlyssesPack, TwoDimensionalTensorsAreRejected) {
  Call call = plain();
  for (const std::size_t i : {kQ, kK, kV}) drop_last_dim(call.values[i].tensor);
  EXPECT_EQ(verdict(call), "qkv.same_shape");
  EXPECT_EQ(blamed(call), "q");
}

TEST(UlyssesPack, MemoryThatIsNotCudaIsRejected) {
  for (const DeviceType type : {DeviceType::kCpu, DeviceType::kCudaHost, DeviceType::kCudaManaged,
                                DeviceType::kRocm, static_cast<DeviceType>(77)}) {
    Call call = plain();
    call.values[kK].tensor.device.type = type;
    EXPECT_EQ(verdict(call), "qkv.cuda");
    EXPECT_EQ(message(call), "q, k, and v must be CUDA tensors");
    EXPECT_EQ(blamed(call), "k");
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
    EXPECT_EQ(verdict(call), "qkv.same_device_dtype");
    EXPECT_EQ(message(call), kMessage);
  }
  EXPECT_EQ(blamed(k_half), "k");
  EXPECT_EQ(blamed(v_half), "v");
}

TEST(UlyssesPack, SixteenByteElementsAreRejected) {
  const Call call = make_call({"", 2, 2, 4, 2, {DtypeCode::kComplex, 128, 1}});
  EXPECT_EQ(verdict(call), "qkv.dtype");
  EXPECT_EQ(message(call),
            "q, k, and v must have a 1-, 2-, 4- or 8-byte dtype, got torch.complex128");
}

TEST(UlyssesPack, StridedHeadSizeIsRejected) {
  for (const std::int64_t stride : {0, 2}) {
    Call call = plain();
    call.values[kQ].tensor.strides[2] = stride;
    EXPECT_EQ(verdict(call), "qkv.inner_contiguous");
    EXPECT_EQ(message(call), "q, k, and v must be contiguous in head_size");
  }
}

TEST(UlyssesPack, WorldSizesThatDoNotDivideTheHeadsAreRejected) {
  for (const std::int64_t world_size : {std::int64_t{0}, std::int64_t{-2}, std::int64_t{4},
                                        std::int64_t{12}, INT64_MIN, INT64_MAX}) {
    Call call = plain();
    call.values[kWorldSize].integer = world_size;
    EXPECT_EQ(verdict(call), "world_size.divides_heads");
    EXPECT_EQ(message(call), "world_size must be positive and divide global_heads");
  }
}

TEST(UlyssesPack, AnAbsentOutputThatDoesNotFitIsRejected) {
  const std::int64_t rows = std::int64_t{1} << 60;
  Call call = make_call({"", 2, 2, 1, 1, kBfloat16, Layout::kContiguous, Out::kAbsent});
  for (const std::size_t i : {kQ, kK, kV}) {
    call.values[i].tensor.shape[0] = rows;
    call.values[i].tensor.strides[0] = 0;
  }
  EXPECT_EQ(verdict(call), "out.size");
  for (const std::size_t i : {kQ, kK, kV}) call.values[i].tensor.shape[0] = rows >> 2;
  EXPECT_EQ(verdict(call), "accepted");
}

TEST(UlyssesPack, AnAbsentEmptyOutputWithAnOversizedDimensionIsRejected) {
  Call call = make_call({"", 0, 2, 1, 1, kUInt8, Layout::kContiguous, Out::kAbsent});
  for (const std::size_t i : {kQ, kK, kV}) {
    call.values[i].tensor.shape[2] = std::int64_t{1} << 61;
  }
  EXPECT_EQ(verdict(call), "out.size");
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
    EXPECT_EQ(verdict(call), "out.matches");
    EXPECT_EQ(message(call), kMessage);
    EXPECT_EQ(blamed(call), "out");
  }
}

TEST(UlyssesPack, AnOutputThatSharesOneByteIsRejected) {
  Call call = plain();
  TensorSpec& out = call.values[kOut].tensor;
  out.buffer = kV;
  out.offset = static_cast<std::uint64_t>(4 * 6 * 8 * 2) - 2;
  EXPECT_EQ(verdict(call), "out.no_overlap");
  EXPECT_EQ(message(call), "out must not overlap q, k, or v");
  out.offset += 2;
  EXPECT_EQ(verdict(call), "accepted");
}

TEST(UlyssesPack, AnOutputInTheGapsOfAnInputIsAccepted) {
  // One row of out fits between two rows of q: the extents cross, no byte is shared.
  Call call = make_call({"", 2, 1, 4, 1});
  TensorSpec& q = call.values[kQ].tensor;
  q.strides[0] = 64;
  TensorSpec& out = call.values[kOut].tensor;
  out.buffer = kQ;
  out.offset = 16;
  EXPECT_EQ(verdict(call), "accepted");
  expect_right(call, "out between the rows of q");
}

// --- every layout that the page accepts
// -------------------------------------------------------------

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
  EXPECT_EQ(verdict(call), "accepted");
  expect_right(call, "single dimensions");
}

TEST(UlyssesPack, InputsMayOverlapEachOther) {
  Call call = plain();
  for (const std::size_t i : {kK, kV}) {
    call.values[i].tensor.buffer = kQ;
    call.values[i].tensor.offset = 16;
  }
  EXPECT_EQ(verdict(call), "accepted");
  expect_right(call, "overlapping inputs");
}

TEST(UlyssesPack, NullStridesAreCompact) {
  Call call = plain();
  for (const std::size_t i : {kQ, kK, kV, kOut}) call.values[i].tensor.null_strides = true;
  expect_right(call, "null strides");
}

TEST(UlyssesPack, EveryUnitFromSixteenBytesToOneIsComputedRight) {
  for (const Dtype dtype : {kUInt8, kBfloat16, kFloat32, kFloat64}) {
    for (std::int64_t head_size = 1; head_size <= 17; ++head_size) {
      for (const Layout layout : {Layout::kFused, Layout::kPadded, Layout::kShifted}) {
        expect_right(make_call({"", 2, 4, head_size, 2, dtype, layout}), std::to_string(head_size));
      }
    }
  }
}

TEST(UlyssesPack, LaunchesOnTheTensorsDeviceAndRestoresTheCallers) {
  Call call = plain();
  for (const std::size_t i : {kQ, kK, kV, kOut}) call.values[i].tensor.device = cuda(1);
  door::set_current_device(0);
  expect_right(call, "tensors on cuda:1");
  EXPECT_EQ(door::current_device(), 0);
}

TEST(UlyssesPack, AFailedLaunchNamesTheOpAndLeavesNothingAllocated) {
  const Call call = make_call({"", 2, 4, 8, 2, kBfloat16, Layout::kContiguous, Out::kAbsent});
  emulator::CallMemory<Op> memory(call);
  const Args args = bind<Op>(call, memory.on_device(), door::device_count());
  const Check<Op> checked = check<Op>(args);
  ASSERT_TRUE(checked);
  emulator::fail_next_launch();
  const Launched<Args> launched = launch(checked.accepted(), nullptr);
  EXPECT_TRUE(launched.status.message().starts_with("ulysses_pack: launch failed: cudaError"))
      << launched.status.message();
  EXPECT_FALSE(launched.args.out.given);
}

TEST(UlyssesPack, EmptyCallsLaunchNothing) {
  const Call call = make_call({"", 0, 8, 16, 2});
  const Args args = args_of(call);
  const Check<Op> checked = check<Op>(args);
  ASSERT_TRUE(checked);
  const std::uint64_t before = door::counts().launches;
  EXPECT_TRUE(launch(checked.accepted(), nullptr).status.ok());
  EXPECT_EQ(door::counts().launches, before);
}

}  // namespace
}  // namespace prelaunch::ulysses_pack
