#include "fuzz/edit_tensor.h"

#include <algorithm>

#include "fuzz/vary.h"

namespace prelaunch::fuzz {
namespace {

constexpr Dtype kDtypes[] = {kFloat32,
                             kFloat16,
                             kBfloat16,
                             kFloat64,
                             kInt32,
                             kInt64,
                             kUInt8,
                             kUInt64,
                             {DtypeCode::kInt, 8, 1},
                             {DtypeCode::kInt, 16, 1},
                             {DtypeCode::kUInt, 32, 1},
                             {DtypeCode::kBool, 8, 1},
                             {DtypeCode::kFloat8E4m3fn, 8, 1},
                             {DtypeCode::kFloat8E5m2, 8, 1},
                             {DtypeCode::kComplex, 64, 1},
                             {DtypeCode::kComplex, 128, 1},
                             {DtypeCode::kOpaque, 16, 1},
                             {static_cast<DtypeCode>(255), 32, 1}};

std::size_t any_dim(const TensorSpec& t, Choices& choose) {
  return static_cast<std::size_t>(choose.below(dims_of(t)));
}

// Entries past the rank are 0; there is none past a rank that is no number of dimensions.
void set_rank(TensorSpec& t, std::int32_t rank) {
  t.rank = rank;
  const std::size_t kept = rank >= 0 && rank <= kMaxRank ? static_cast<std::size_t>(rank) : 0;
  for (std::size_t d = kept; d < kMaxRank; ++d) t.shape[d] = t.strides[d] = 0;
}

bool insert_dim(TensorSpec& t, Choices& choose) {
  if (t.rank < 0 || t.rank >= kMaxRank) return false;
  const auto at = static_cast<std::ptrdiff_t>(choose.below(dims_of(t) + 1));
  for (auto* entries : {&t.shape, &t.strides}) {
    std::copy_backward(entries->begin() + at, entries->end() - 1, entries->end());
    (*entries)[static_cast<std::size_t>(at)] = 1;
  }
  ++t.rank;
  return true;
}

bool remove_dim(TensorSpec& t, Choices& choose) {
  if (dims_of(t) == 0) return false;
  const auto at = static_cast<std::ptrdiff_t>(any_dim(t, choose));
  for (auto* entries : {&t.shape, &t.strides}) {
    std::copy(entries->begin() + at + 1, entries->end(), entries->begin() + at);
  }
  set_rank(t, t.rank - 1);
  return true;
}

}  // namespace

void give_compact_strides(TensorSpec& t) {
  t.null_strides = false;
  t.strides = {};
  std::int64_t stride = 1;
  for (std::size_t d = dims_of(t); d-- > 0;) {
    t.strides[d] = stride;
    stride = product(stride, std::max<std::int64_t>(t.shape[d], 1));
  }
}

bool edit_device_type(TensorSpec& t, Choices& choose) {
  t.device.type = choose.of({DeviceType::kCpu, DeviceType::kCuda, DeviceType::kCudaHost,
                             DeviceType::kRocm, DeviceType::kCudaManaged,
                             static_cast<DeviceType>(0), static_cast<DeviceType>(77)});
  return true;
}

bool edit_device_index(TensorSpec& t, Choices& choose) {
  using Limits = std::numeric_limits<std::int32_t>;
  t.device.index = choose.of({0, 1, 2, -1, 63, 64, Limits::max(), Limits::min()});
  return true;
}

bool edit_dtype(TensorSpec& t, Choices& choose) {
  t.dtype = choose.of(kDtypes);
  return true;
}

bool edit_dtype_width(TensorSpec& t, Choices& choose) {
  if (choose.one_in(2)) {
    t.dtype.bits = choose.of<std::uint8_t>({0, 1, 4, 8, 12, 16, 24, 32, 64, 128, 255});
  } else {
    t.dtype.lanes = choose.of<std::uint16_t>({0, 1, 2, 4, 65535});
  }
  return true;
}

bool edit_rank(TensorSpec& t, Choices& choose) {
  switch (choose.below(4)) {
    case 0:
      return insert_dim(t, choose);
    case 1:
      return remove_dim(t, choose);
    default:
      set_rank(t, choose.of({0, 1, -1, kMaxRank, kMaxRank + 1, 1 << 20,
                             std::numeric_limits<std::int32_t>::min()}));
      return true;
  }
}

bool edit_dim_by_one(TensorSpec& t, Choices& choose) {
  if (dims_of(t) == 0) return false;
  std::int64_t& dim = t.shape[any_dim(t, choose)];
  dim = sum(dim, choose.of({-1, 1}));
  return true;
}

bool edit_dim_to_limit(TensorSpec& t, Choices& choose) {
  if (dims_of(t) == 0) return false;
  t.shape[any_dim(t, choose)] = choose.of(kLimits);
  return true;
}

bool edit_stride(TensorSpec& t, Choices& choose) {
  if (dims_of(t) == 0) return false;
  if (t.null_strides) give_compact_strides(t);
  std::int64_t& stride = t.strides[any_dim(t, choose)];
  switch (choose.below(3)) {
    case 0:
      stride = sum(stride, choose.of({-1, 1}));
      break;
    case 1:
      stride = product(stride, choose.of({-1, 2, 3}));
      break;
    default:
      stride = choose.of(kLimits);
  }
  return true;
}

bool edit_far(TensorSpec& t, Choices& choose) {
  for (std::size_t d = 0; d < dims_of(t); ++d) {
    if (t.shape[d] <= 1) continue;
    if (t.null_strides) give_compact_strides(t);
    t.strides[d] = choose.of({std::int64_t{1} << 31, (std::int64_t{1} << 31) + 8,
                              std::int64_t{1} << 32, std::int64_t{1} << 34});
    return true;
  }
  return false;
}

bool edit_null_shape(TensorSpec& t, Choices&) {
  t.null_shape = !t.null_shape;
  t.shape = {};
  return true;
}

bool edit_null_strides(TensorSpec& t, Choices&) {
  if (t.null_strides) {
    give_compact_strides(t);
  } else {
    t.null_strides = true;
    t.strides = {};
  }
  return true;
}

bool edit_data_to_null(TensorSpec& t, Choices& choose) {
  t.source = DataSource::kNull;
  t.buffer = 0;
  t.literal = 0;
  if (choose.one_in(2)) t.offset = 0;
  return true;
}

bool edit_misalign(TensorSpec& t, Choices& choose) {
  const std::int64_t bytes = t.dtype.bytes();
  if (bytes < 2) return false;
  t.offset += static_cast<std::uint64_t>(choose.between(1, bytes - 1));
  return true;
}

bool edit_address(TensorSpec& t, Choices& choose) {
  t.source = DataSource::kLiteral;
  t.buffer = 0;
  t.literal = choose.of<std::uint64_t>({1, 256, std::uint64_t{1} << 47, std::uint64_t{1} << 63,
                                        ~std::uint64_t{0}, ~std::uint64_t{0} - 255});
  return true;
}

bool edit_offset(TensorSpec& t, Choices& choose) {
  if (choose.one_in(2)) {
    const auto bytes = static_cast<std::uint64_t>(t.dtype.bytes());
    t.offset += choose.of({bytes, 2 * bytes, 0 - bytes, std::uint64_t{16}, std::uint64_t{256}});
  } else {
    t.offset = static_cast<std::uint64_t>(choose.of(kLimits));
  }
  return true;
}

bool edit_contents(TensorSpec& t, Choices& choose) {
  t.fill = {};
  put_odd_numbers(t.fill, choose);
  return true;
}

}  // namespace prelaunch::fuzz
