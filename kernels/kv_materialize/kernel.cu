// A group of lanes, 1 to 32, takes one head of one token: each lane holds elements i and half + i
// of K, which RoPE turns into each other, so the only thing that lanes exchange is the sum of
// squares. A warp's groups are neighbouring heads: reads run along a token's row, writes along the
// cache.
//
// Moving bytes is what it costs. K and V are read once, in the widest units that every address
// allows, four of them in flight a lane. A token's cosines serve all its layers: where there are
// tokens enough to fill the GPU, a group keeps them and walks the layers; where there are few, each
// layer is a group's own task.
#include <algorithm>

#include "kernels/common/launch.h"
#include "kernels/common/load_index.h"
#include "kernels/common/outputs.h"
#include "kernels/common/record_fault.h"
#include "kernels/kv_materialize/kv_materialize.h"
#include "kernels/kv_materialize/units.h"

namespace prelaunch::kv_materialize {
namespace {

constexpr unsigned kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

// Tasks of a warp from which on they may be longer instead of more: a few dozen for each that the
// GPU holds at a time. Small when emulated, so that both kinds run.
#if defined(PRELAUNCH_EMULATED)
constexpr std::int64_t kEnoughTasks = 2;
#else
constexpr std::int64_t kEnoughTasks = std::int64_t{1} << 15;
#endif

// --- the launch ----------------------------------------------------------------------------------

// A tensor's strides in elements; those of dimensions of size 1 are 0.
template <class Element>
struct Rows {
  Element* data;
  std::int64_t token, layer, head;

  __device__ __forceinline__ Element* at(std::int64_t t, std::int64_t l, std::int64_t h) const {
    return data + t * token + l * layer + h * head;
  }
};

template <class Element>
struct Materialization {
  Rows<const Element> k, v;
  Rows<Element> k_out, v_out;
  Reals weight, cos_sin;
  const float* eps;
  IndexSource positions;
  unsigned long long* fault;
  // rows = total_ctx * heads.
  std::int64_t rows, heads, layers, max_pos;
  // Layers of a task, how many such chunks there are, and tasks for all rows of one.
  std::int64_t chunk, chunks, row_tasks;
  // Of a head, in units: those of half the rotated part, and of the rest with its larger half.
  unsigned half_units, rest_units, rest_half_units;
  // Lanes of a group, 1 << lane_bits of a warp's.
  unsigned lanes, lane_bits;
  float per_element;  // 1 / head_dim
};

// Two units of a head that one lane has at a time. In the rest, beyond the rotated part, any two.
template <unsigned kWidth>
struct Slot {
  unsigned first, second;  // elements
  bool rotated, paired;

  template <class Params>
  __device__ __forceinline__ Slot(const Params& p, unsigned i)
      : first(i * kWidth),
        second((i + p.half_units) * kWidth),
        rotated(i < p.half_units),
        paired(true) {
    if (rotated) return;
    first = (i + p.half_units) * kWidth;
    second = first + p.rest_half_units * kWidth;
    paired = i - p.half_units + p.rest_half_units < p.rest_units;
  }
};

template <class Unit>
struct Pair {
  Unit first, second;
};

// Inputs share no byte with outputs, which __ldg tells the compiler: loads need not wait for
// stores.
template <class Unit, class Element, unsigned kWidth>
__device__ __forceinline__ Pair<Unit> load_pair(const Element* row, const Slot<kWidth>& slot) {
  Pair<Unit> pair{__ldg(reinterpret_cast<const Unit*>(row + slot.first)), no_bits(Unit())};
  if (slot.paired) pair.second = __ldg(reinterpret_cast<const Unit*>(row + slot.second));
  return pair;
}

template <class Unit, class Element, unsigned kWidth>
__device__ __forceinline__ void store_pair(Element* row, const Slot<kWidth>& slot,
                                           const Pair<Unit>& pair) {
  *reinterpret_cast<Unit*>(row + slot.first) = pair.first;
  if (slot.paired) *reinterpret_cast<Unit*>(row + slot.second) = pair.second;
}

// A tree, not a chain: the rounding errors of 1024 squares stay few.
template <unsigned kCount>
__device__ __forceinline__ float sum_of_squares(const float* of) {
  if constexpr (kCount == 1) {
    return of[0] * of[0];
  } else {
    return sum_of_squares<kCount / 2>(of) + sum_of_squares<kCount / 2>(of + kCount / 2);
  }
}

template <class Format, unsigned kWidth, class Unit>
__device__ __forceinline__ float sum_of_squares(const Pair<Unit>& pair) {
  float wide[2 * kWidth];
  widen<Format>(pair.first, wide);
  widen<Format>(pair.second, wide + kWidth);
  return sum_of_squares<2 * kWidth>(wide);
}

__device__ __forceinline__ float sum_over_group(float value, unsigned lanes) {
  for (unsigned other = lanes / 2; other > 0; other /= 2) {
    value += __shfl_xor_sync(kAllLanes, value, static_cast<int>(other));
  }
  return value;
}

// The rest turns by nothing: it is multiplied by 1 and what is added is 0.
template <unsigned kWidth>
struct Angles {
  float cos[kWidth], sin[kWidth];

  template <class Format, class Params>
  __device__ __forceinline__ void load(const Params& p, const Slot<kWidth>& slot,
                                       std::int64_t position) {
    if (slot.rotated) {
      p.cos_sin.template load<Format>(position, slot.first, cos);
      p.cos_sin.template load<Format>(position, slot.second, sin);
      return;
    }
#pragma unroll
    for (unsigned i = 0; i < kWidth; ++i) {
      cos[i] = 1;
      sin[i] = 0;
    }
  }
};

// `scale` is 1 over the root mean square.
template <class Format, unsigned kWidth, class Unit, class Params>
__device__ __forceinline__ Pair<Unit> turned(const Params& p, const Slot<kWidth>& slot,
                                             const Pair<Unit>& k, std::int64_t layer, float scale,
                                             const Angles<kWidth>& angles) {
  float first[kWidth], second[kWidth], first_weight[kWidth], second_weight[kWidth] = {};
  widen<Format>(k.first, first);
  widen<Format>(k.second, second);
  p.weight.template load<Format>(layer, slot.first, first_weight);
  if (slot.paired) p.weight.template load<Format>(layer, slot.second, second_weight);
#pragma unroll
  for (unsigned i = 0; i < kWidth; ++i) {
    const float a = first[i] * scale * first_weight[i], b = second[i] * scale * second_weight[i];
    first[i] = a * angles.cos[i] - b * angles.sin[i];
    second[i] = b * angles.cos[i] + a * angles.sin[i];
  }
  Pair<Unit> out{no_bits(Unit()), no_bits(Unit())};
  narrow<Format>(first, out.first);
  narrow<Format>(second, out.second);
  return out;
}

// One lane's part of one row of all layers of a task.
struct Place {
  std::int64_t token, head, position;
  unsigned lane;  // of the group
  bool inside;    // false: there is no such row, but its lanes meet the others
  bool bad;       // the position is out of range
};

// A head of no more slots than lanes: K waits in registers for the sum, the cosines for the layers.
template <class Format, class Unit, class Params>
__device__ __forceinline__ void materialize_kept(const Params& p, const Place& at,
                                                 std::int64_t layer, std::int64_t end) {
  constexpr unsigned kWidth = sizeof(Unit) / sizeof(typename Format::Element);
  const Slot<kWidth> slot(p, at.lane);
  const bool works = at.inside && at.lane < p.half_units + p.rest_half_units;
  Angles<kWidth> angles;
  if (works && !at.bad) angles.template load<Format>(p, slot, at.position);
  for (; layer < end; ++layer) {
    Pair<Unit> k{no_bits(Unit()), no_bits(Unit())}, v{no_bits(Unit()), no_bits(Unit())};
    if (works) {
      k = load_pair<Unit>(p.k.at(at.token, layer, at.head), slot);
      v = load_pair<Unit>(p.v.at(at.token, layer, at.head), slot);
    }
    const float sum = sum_over_group(sum_of_squares<Format, kWidth>(k), p.lanes);
    if (!works) continue;
    const float scale = rsqrtf(sum * p.per_element + __ldg(p.eps + layer));
    store_pair(p.v_out.at(at.token, layer, at.head), slot, v);
    Pair<Unit> out{no_bits(Unit()), no_bits(Unit())};
    if (!at.bad) out = turned<Format>(p, slot, k, layer, scale, angles);
    store_pair(p.k_out.at(at.token, layer, at.head), slot, out);
  }
}

// A head of any number of slots: K is read again, from the cache, when the sum is known.
template <class Format, class Unit, class Params>
__device__ __forceinline__ void materialize_reread(const Params& p, const Place& at,
                                                   std::int64_t layer, std::int64_t end) {
  constexpr unsigned kWidth = sizeof(Unit) / sizeof(typename Format::Element);
  const unsigned slots = at.inside ? p.half_units + p.rest_half_units : 0;
  for (; layer < end; ++layer) {
    const auto* k_row = p.k.at(at.token, layer, at.head);
    const auto* v_row = p.v.at(at.token, layer, at.head);
    float sum = 0;
    for (unsigned i = at.lane; i < slots; i += p.lanes) {
      sum += sum_of_squares<Format, kWidth>(load_pair<Unit>(k_row, Slot<kWidth>(p, i)));
    }
    sum = sum_over_group(sum, p.lanes);
    const float scale = rsqrtf(sum * p.per_element + __ldg(p.eps + layer));
    for (unsigned i = at.lane; i < slots; i += p.lanes) {
      const Slot<kWidth> slot(p, i);
      store_pair(p.v_out.at(at.token, layer, at.head), slot, load_pair<Unit>(v_row, slot));
      Pair<Unit> out{no_bits(Unit()), no_bits(Unit())};
      if (!at.bad) {
        Angles<kWidth> angles;
        angles.template load<Format>(p, slot, at.position);
        out = turned<Format>(p, slot, load_pair<Unit>(k_row, slot), layer, scale, angles);
      }
      store_pair(p.k_out.at(at.token, layer, at.head), slot, out);
    }
  }
}

template <class Format, class Unit, bool kKeeps>
__global__ void __launch_bounds__(128)
    materialize_kernel(const Materialization<typename Format::Element> p) {
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * (blockDim.x / kWarp);
  const unsigned lane = threadIdx.x % kWarp;
  const std::int64_t tasks = p.row_tasks * p.chunks;
  std::int64_t task =
      static_cast<std::int64_t>(blockIdx.x) * (blockDim.x / kWarp) + threadIdx.x / kWarp;
  // The same for a whole warp, so that its lanes meet in every collective.
  for (; task < tasks; task += warps) {
    const std::int64_t chunk = p.chunks == 1 ? 0 : task / p.row_tasks;
    const std::int64_t row =
        (task - chunk * p.row_tasks) * (kWarp >> p.lane_bits) + (lane >> p.lane_bits);
    Place at{.token = 0,
             .head = 0,
             .position = 0,
             .lane = lane & (p.lanes - 1),
             .inside = row < p.rows,
             .bad = false};
    if (at.inside) {
      at.token = row / p.heads;
      at.head = row - at.token * p.heads;
      at.position = p.positions[at.token];
      at.bad = at.position < 0 || at.position >= p.max_pos;
    }
    if (at.bad && at.head == 0 && at.lane == 0 && chunk == 0) {
      record_fault(p.fault, static_cast<std::uint64_t>(at.token), FaultCode::kPositionOutOfRange);
    }
    const std::int64_t layer = chunk * p.chunk;
    const std::int64_t end = layer + p.chunk < p.layers ? layer + p.chunk : p.layers;
    if constexpr (kKeeps) {
      materialize_kept<Format, Unit>(p, at, layer, end);
    } else {
      materialize_reread<Format, Unit>(p, at, layer, end);
    }
  }
}

// --- the host's side -----------------------------------------------------------------------------

// Whether `width` elements at any multiple of `width` in any row of `t` can be loaded as units of
// up to 16 bytes.
bool is_aligned(const TensorView& t, std::int64_t width) {
  const auto element = static_cast<std::uint64_t>(t.dtype.bytes());
  std::uint64_t bits = t.address;
  for (std::size_t d = 0; d + 1 < static_cast<std::size_t>(t.rank); ++d) {
    // Of an empty tensor, the product may not fit.
    bits |= static_cast<std::uint64_t>(stride_of(t, d)) * element;
  }
  return bits % std::min<std::uint64_t>(static_cast<std::uint64_t>(width) * element, 16) == 0;
}

// Whether every head and every half of one is a whole number of `width` elements, and aligned.
bool may_move(const Args& a, std::int64_t width) {
  if (a.head_dim % width != 0 || a.rotary_dim / 2 % width != 0) return false;
  return is_aligned(a.kv, width) && is_aligned(a.k_out, width) && is_aligned(a.v_out, width) &&
         is_aligned(a.k_norm_weight, width) && is_aligned(a.cos_sin_cache, width);
}

Reals reals_of(const TensorView& t) {
  return {reinterpret_cast<const void*>(t.address), stride_of(t, 0), t.dtype == kFloat32};
}

template <class Element>
Rows<Element> out_rows(const TensorView& t) {
  return {.data = reinterpret_cast<Element*>(t.address),
          .token = stride_of(t, 1),
          .layer = stride_of(t, 0),
          .head = stride_of(t, 2)};
}

// One half of kv, from `offset` elements on.
template <class Element>
Rows<const Element> kv_rows(const Args& a, std::int64_t offset) {
  // As a number: without elements there may be no memory to point into.
  const std::uintptr_t address =
      a.kv.address + static_cast<std::uintptr_t>(offset) * sizeof(Element);
  return {.data = reinterpret_cast<const Element*>(address),
          .token = stride_of(a.kv, 0),
          .layer = stride_of(a.kv, 1),
          .head = a.head_dim};
}

template <class Element>
Materialization<Element> describe(const Args& a, std::int64_t width) {
  const std::int64_t rest_units = (a.head_dim - a.rotary_dim) / width;
  return {.k = kv_rows<Element>(a, 0),
          .v = kv_rows<Element>(a, a.num_kv_heads * a.head_dim),
          .k_out = out_rows<Element>(a.k_out),
          .v_out = out_rows<Element>(a.v_out),
          .weight = reals_of(a.k_norm_weight),
          .cos_sin = reals_of(a.cos_sin_cache),
          .eps = reinterpret_cast<const float*>(a.eps.address),
          .positions = index_source(a.positions),
          .fault = reinterpret_cast<unsigned long long*>(a.fault.given ? a.fault.address : 0),
          .rows = a.kv.shape[0] * a.num_kv_heads,
          .heads = a.num_kv_heads,
          .layers = a.kv.shape[1],
          .max_pos = a.cos_sin_cache.shape[0],
          .chunk = a.kv.shape[1],
          .chunks = 1,
          .row_tasks = 0,
          .half_units = static_cast<unsigned>(a.rotary_dim / 2 / width),
          .rest_units = static_cast<unsigned>(rest_units),
          .rest_half_units = static_cast<unsigned>((rest_units + 1) / 2),
          .lanes = 1,
          .lane_bits = 0,
          .per_element = 1.0f / static_cast<float>(a.head_dim)};
}

// Decides how many lanes take a row, and how many layers a task.
template <class Element>
void divide_work(Materialization<Element>& p) {
  const unsigned slots = p.half_units + p.rest_half_units;
  while (p.lanes < slots && p.lanes < kWarp) p.lanes = 1u << ++p.lane_bits;
  const std::int64_t groups = kWarp / p.lanes;
  p.row_tasks = (p.rows + groups - 1) / groups;
  if (p.layers <= 1) return;
  p.chunk = std::clamp<std::int64_t>(p.row_tasks * p.layers / kEnoughTasks, 1, p.layers);
  p.chunks = (p.layers - 1) / p.chunk + 1;
}

template <class Format, class Unit>
Status launch_as(const Args& a, Stream stream) {
  using Element = typename Format::Element;
  Materialization<Element> p = describe<Element>(a, sizeof(Unit) / sizeof(Element));
  divide_work(p);
  constexpr std::int64_t kWarps = door::threads(128) / kWarp;
  constexpr std::int64_t kMaxBlocks = (std::int64_t{1} << 31) - 1;
  const std::int64_t blocks =
      std::clamp<std::int64_t>((p.row_tasks * p.chunks - 1) / kWarps + 1, 1, kMaxBlocks);
  const door::Grid grid{.blocks = dim3(static_cast<unsigned>(blocks)),
                        .threads = dim3(door::threads(128))};
  const bool keeps = p.half_units + p.rest_half_units <= kWarp;
  return keeps ? door::launch<Op>(a, a.kv.device, grid, stream,
                                  materialize_kernel<Format, Unit, true>, p)
               : door::launch<Op>(a, a.kv.device, grid, stream,
                                  materialize_kernel<Format, Unit, false>, p);
}

Status launch_float32(const Args& a, Stream stream) {
  return may_move(a, 4) ? launch_as<Float32, uint4>(a, stream)
                        : launch_as<Float32, std::uint32_t>(a, stream);
}

template <class Format>
Status launch_16_bits(const Args& a, Stream stream) {
  return may_move(a, 8)   ? launch_as<Format, uint4>(a, stream)
         : may_move(a, 2) ? launch_as<Format, std::uint32_t>(a, stream)
                          : launch_as<Format, std::uint16_t>(a, stream);
}

Status launch_materialization(const Args& a, Stream stream) {
  if (a.kv.dtype == kFloat32) return launch_float32(a, stream);
  return a.kv.dtype == kFloat16 ? launch_16_bits<Float16>(a, stream)
                                : launch_16_bits<Bfloat16>(a, stream);
}

}  // namespace

Launched<Args> launch(const Accepted<Op>& call, Stream stream) {
  Launched<Args> result{{}, call.args()};
  Args& a = result.args;
  const door::DeviceGuard guard(a.kv.device.index);
  OwnOutputs own(stream);
  for (TensorView* out : {&a.k_out, &a.v_out}) {
    if (!result.status.ok()) break;
    result.status = own.provide(Op::kName, a.kv.dtype, a.kv.device,
                                {a.kv.shape[1], a.kv.shape[0], a.num_kv_heads, a.head_dim}, *out);
  }
  // Where only the fault word is written, positions are guarded all the same.
  const bool writes = a.k_out.elements > 0 || a.fault.given;
  if (result.status.ok() && writes) result.status = launch_materialization(a, stream);
  if (result.status.ok()) own.hand_over();
  return result;
}

}  // namespace prelaunch::kv_materialize
