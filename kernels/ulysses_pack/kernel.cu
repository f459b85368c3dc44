// One thread copies one unit of 1 to 16 bytes; consecutive threads write consecutive units of out.
// Moving bytes is all there is: one 16-byte vector a thread with 128 threads a block is the shape
// in which a plain copy reaches the card's limit.
#include <algorithm>
#include <type_traits>

#include "kernels/common/divide.h"
#include "kernels/common/launch.h"
#include "kernels/common/outputs.h"
#include "kernels/ulysses_pack/ulysses_pack.h"

namespace prelaunch::ulysses_pack {
namespace {

// Lengths and strides are in units.
template <class Unit, class Index>
struct Packing {
  Unit* out;
  const Unit* source[3];
  std::int64_t row_stride[3], head_stride[3];
  std::int64_t local_heads;
  Divisor<Index> per_head, three, per_row, per_destination;
  Index count;
};

template <class Unit, class Index>
__global__ void pack_kernel(const Packing<Unit, Index> p) {
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
  for (Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < p.count;
       i += step) {
    // i counts [d, r, h, c, x].
    Index x = i;
    Index c = p.per_head.split(x);
    Index h = p.three.split(c);
    Index r = p.per_row.split(h);
    const Index d = p.per_destination.split(r);
    const std::int64_t head =
        static_cast<std::int64_t>(d) * p.local_heads + static_cast<std::int64_t>(h);
    // Selected, not indexed: an indexed kernel parameter would be copied to local memory.
    const Unit* source = c == 0 ? p.source[0] : c == 1 ? p.source[1] : p.source[2];
    const std::int64_t row_stride = c == 0   ? p.row_stride[0]
                                    : c == 1 ? p.row_stride[1]
                                             : p.row_stride[2];
    const std::int64_t head_stride = c == 0   ? p.head_stride[0]
                                     : c == 1 ? p.head_stride[1]
                                              : p.head_stride[2];
    const std::int64_t from = static_cast<std::int64_t>(r) * row_stride + head * head_stride +
                              static_cast<std::int64_t>(x);
    p.out[i] = source[from];
    if (step > p.count - i) break;  // the index must not wrap
  }
}

// The widest unit, in bytes, that every row of every tensor is a whole and aligned number of.
std::int64_t unit_bytes(const Args& a) {
  const std::int64_t element = a.q.dtype.bytes();
  std::uint64_t bits = 16 | static_cast<std::uint64_t>(a.q.shape[2] * element) | a.out.address;
  for (const TensorView* t : {&a.q, &a.k, &a.v}) {
    bits |= t->address;
    for (const std::size_t d : {0u, 1u}) {
      if (t->shape[d] > 1) bits |= static_cast<std::uint64_t>(t->strides[d] * element);
    }
  }
  return static_cast<std::int64_t>(bits & (~bits + 1));
}

// The stride of a dimension of size 1 means nothing and may be anything.
std::int64_t stride_in(std::int64_t unit, const TensorView& t, std::size_t d) {
  return t.shape[d] > 1 ? t.strides[d] * t.dtype.bytes() / unit : 0;
}

template <class Unit, class Index>
Status launch_as(const Args& a, Stream stream) {
  constexpr std::int64_t kUnit = sizeof(Unit);
  const TensorView* const tensors[] = {&a.q, &a.k, &a.v};
  const std::int64_t local_heads = a.q.shape[1] / a.world_size;
  const std::int64_t count = a.out.extent / kUnit;
  Packing<Unit, Index> p{.out = reinterpret_cast<Unit*>(a.out.address),
                         .source = {},
                         .row_stride = {},
                         .head_stride = {},
                         .local_heads = local_heads,
                         .per_head = Divisor<Index>(a.q.shape[2] * a.q.dtype.bytes() / kUnit),
                         .three = Divisor<Index>(3),
                         .per_row = Divisor<Index>(local_heads),
                         .per_destination = Divisor<Index>(a.q.shape[0]),
                         .count = static_cast<Index>(count)};
  for (std::size_t c = 0; c < 3; ++c) {
    p.source[c] = reinterpret_cast<const Unit*>(tensors[c]->address);
    p.row_stride[c] = stride_in(kUnit, *tensors[c], 0);
    p.head_stride[c] = stride_in(kUnit, *tensors[c], 1);
  }
  constexpr std::int64_t kThreads = door::threads(128);
  constexpr std::int64_t kMaxBlocks = (std::int64_t{1} << 31) - 1;
  const std::int64_t blocks = std::min((count - 1) / kThreads + 1, kMaxBlocks);
  const door::Grid grid{.blocks = dim3(static_cast<unsigned>(blocks)),
                        .threads = dim3(static_cast<unsigned>(kThreads))};
  return door::launch<Op>(a, a.out.device, grid, stream, pack_kernel<Unit, Index>, p);
}

template <class Unit>
Status launch_unit(const Args& a, Stream stream) {
  const bool narrow = a.out.extent / static_cast<std::int64_t>(sizeof(Unit)) <= kMaxIndex32;
  return narrow ? launch_as<Unit, std::uint32_t>(a, stream)
                : launch_as<Unit, std::uint64_t>(a, stream);
}

Status launch_packing(const Args& a, Stream stream) {
  switch (unit_bytes(a)) {
    case 16:
      return launch_unit<uint4>(a, stream);
    case 8:
      return launch_unit<uint2>(a, stream);
    case 4:
      return launch_unit<std::uint32_t>(a, stream);
    case 2:
      return launch_unit<std::uint16_t>(a, stream);
    default:
      return launch_unit<std::uint8_t>(a, stream);
  }
}

}  // namespace

Launched<Args> launch(const Accepted<Op>& call, Stream stream) {
  Launched<Args> result{{}, call.args()};
  Args& a = result.args;
  const door::DeviceGuard guard(a.q.device.index);
  OwnOutputs own(stream);
  result.status = own.provide(
      Op::kName, a.q.dtype, a.q.device,
      {a.world_size, a.q.shape[0], a.q.shape[1] / a.world_size, 3 * a.q.shape[2]}, a.out);
  if (result.status.ok() && a.out.elements > 0) result.status = launch_packing(a, stream);
  if (result.status.ok()) own.hand_over();
  return result;
}

}  // namespace prelaunch::ulysses_pack
