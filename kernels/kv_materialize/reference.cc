// The definition in double precision, one row at a time.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/common/fault.h"
#include "kernels/common/host_tensor.h"
#include "kernels/kv_materialize/kv_materialize.h"

namespace prelaunch::kv_materialize {
namespace {

struct Place {
  std::int64_t t, l, h;
};

// What K of one row must be, and how far from it a result may be, before it is rounded.
struct KRow {
  std::vector<double> exact, slack;
  // Inputs are finite and every intermediate is 0 or within [2^-120, 2^120].
  bool in_domain = true;

  double intermediate(double number) {
    const double size = std::abs(number);
    in_domain &= size == 0 || (size >= 0x1p-120 && size <= 0x1p120);  // false for a NaN
    return number;
  }
  double input(double number) {
    in_domain &= std::isfinite(number);
    return number;
  }
};

// n = k * rsqrt(mean(k^2) + eps) * weight. `amplified` is by how much the sum under the root makes
// the relative error of its terms grow: 1 unless eps is negative.
std::vector<double> normalized(const Args& a, const Place& at, KRow& row, double& amplified) {
  std::vector<double> n(static_cast<std::size_t>(a.head_dim));
  double sum = 0;
  for (std::int64_t i = 0; i < a.head_dim; ++i) {
    const double k = row.input(value(a.kv, {at.t, at.l, at.h * a.head_dim + i}));
    n[static_cast<std::size_t>(i)] = k;
    sum += row.intermediate(k * k);
  }
  const double eps = row.input(value(a.eps, {at.l}));
  const double mean = row.intermediate(row.intermediate(sum) / static_cast<double>(a.head_dim));
  const double scale = row.intermediate(1 / std::sqrt(row.intermediate(mean + eps)));
  amplified = (mean + std::abs(eps)) / (mean + eps);
  for (std::int64_t i = 0; i < a.head_dim; ++i) {
    double& out = n[static_cast<std::size_t>(i)];
    const double weight = row.input(value(a.k_norm_weight, {at.l, i}));
    out = row.intermediate(row.intermediate(out * scale) * weight);
  }
  return n;
}

KRow k_row(const Args& a, const Place& at, std::int64_t position) {
  KRow row;
  double amplified = 1;
  row.exact = normalized(a, at, row, amplified);
  const std::vector<double> n = row.exact;
  for (const double each : n) row.slack.push_back(std::abs(each));
  const std::int64_t half = a.rotary_dim / 2;
  for (std::int64_t i = 0; i < half; ++i) {
    const double cos = row.input(value(a.cos_sin_cache, {position, i}));
    const double sin = row.input(value(a.cos_sin_cache, {position, half + i}));
    const auto one = static_cast<std::size_t>(i), other = static_cast<std::size_t>(half + i);
    const double one_cos = row.intermediate(n[one] * cos), one_sin = row.intermediate(n[one] * sin);
    const double other_cos = row.intermediate(n[other] * cos),
                 other_sin = row.intermediate(n[other] * sin);
    row.exact[one] = row.intermediate(one_cos - other_sin);
    row.exact[other] = row.intermediate(other_cos + one_sin);
    row.slack[one] = std::abs(one_cos) + std::abs(other_sin);
    row.slack[other] = std::abs(other_cos) + std::abs(one_sin);
  }
  for (double& slack : row.slack) slack *= 0x1p-20 * amplified;
  return row;
}

bool is_close(double got, double exact, double slack, Dtype dtype) {
  const double u = dtype == kBfloat16 ? 0x1p-8 : dtype == kFloat16 ? 0x1p-11 : 0x1p-24;
  const double tiny = dtype == kFloat16 ? 0x1p-25 : 0;
  if (std::isinf(got) && dtype == kFloat16) {
    // What rounds to infinity starts halfway past the largest number.
    return std::copysign(1, got) * exact + slack >= 65520;
  }
  return std::abs(got - exact) <= u * std::abs(exact) + tiny + slack;
}

std::optional<std::string> wrong_k(const Args& before, const Args& after, const Place& at,
                                   std::int64_t position) {
  const bool bad = position < 0 || position >= before.cos_sin_cache.shape[0];
  const KRow row = bad ? KRow() : k_row(before, at, position);
  if (!row.in_domain) return std::nullopt;
  for (std::int64_t i = 0; i < before.head_dim; ++i) {
    const double got = value(after.k_out, {at.l, at.t, at.h, i});
    const auto n = static_cast<std::size_t>(i);
    if (bad ? got == 0 && !std::signbit(got)
            : is_close(got, row.exact[n], row.slack[n], before.kv.dtype)) {
      continue;
    }
    return fmt::format("k_out[{}, {}, {}, {}] is {}, expected {}{}", at.l, at.t, at.h, i, got,
                       bad ? 0 : row.exact[n], bad ? ": the position is out of range" : "");
  }
  return std::nullopt;
}

std::optional<std::string> wrong_v(const Args& before, const Args& after, const Place& at) {
  const std::byte* from =
      element(before.kv, {at.t, at.l, (before.num_kv_heads + at.h) * before.head_dim});
  const std::byte* to = element(after.v_out, {at.l, at.t, at.h, 0});
  const auto bytes = static_cast<std::size_t>(before.head_dim * before.kv.dtype.bytes());
  if (std::memcmp(from, to, bytes) == 0) return std::nullopt;
  return fmt::format("v_out[{}, {}, {}] is not v of kv[{}, {}]", at.l, at.t, at.h, at.t, at.l);
}

std::optional<std::string> wrong_fault(const Args& before, const Args& after) {
  if (!before.fault.given) return std::nullopt;
  const auto word = [](const TensorView& fault) {
    return static_cast<std::uint64_t>(
        load_integer(reinterpret_cast<const std::byte*>(fault.address), kUInt64));
  };
  std::uint64_t expected = word(before.fault);
  for (std::int64_t t = 0; t < before.kv.shape[0]; ++t) {
    const std::int64_t position = integer(before.positions, {t});
    if (position >= 0 && position < before.cos_sin_cache.shape[0]) continue;
    expected = std::min(expected,
                        fault_word(static_cast<std::uint64_t>(t), FaultCode::kPositionOutOfRange));
  }
  if (word(after.fault) == expected) return std::nullopt;
  return fmt::format("fault is {:#x}, expected {:#x}", word(after.fault), expected);
}

}  // namespace

std::optional<std::string> verify(const Args& before, const Args& after) {
  const auto [total_ctx, n_layers] = dims<2>(before.kv);
  for (Place at{}; at.t < total_ctx; ++at.t) {
    const std::int64_t position = integer(before.positions, {at.t});
    for (at.l = 0; at.l < n_layers; ++at.l) {
      for (at.h = 0; at.h < before.num_kv_heads; ++at.h) {
        if (auto wrong = wrong_v(before, after, at)) return wrong;
        if (auto wrong = wrong_k(before, after, at, position)) return wrong;
      }
    }
  }
  return wrong_fault(before, after);
}

void prepare(const Args& args, Choices& choose) {
  // Numbers that no two of are likely to be alike, none of them 0: odd multiples of 1 / 256.
  const auto number = [&choose] { return (static_cast<double>(choose.below(256)) - 127.5) / 128; };
  const auto [total_ctx, n_layers] = dims<2>(args.kv);
  // V is left as it is: any bits must be copied.
  for (std::int64_t t = 0; t < total_ctx; ++t) {
    for (std::int64_t l = 0; l < n_layers; ++l) {
      for (std::int64_t i = 0; i < args.num_kv_heads * args.head_dim; ++i) {
        store(element(args.kv, {t, l, i}), args.kv.dtype, 2 * number());
      }
    }
    store(element(args.positions, {t}), args.positions.dtype,
          static_cast<double>(choose.between(0, args.cos_sin_cache.shape[0] - 1)));
  }
  // Large beside what models have, so that the wrong layer's is seen in bf16.
  static constexpr double kEps[] = {1e-6, 1e-5, 0.25, 1.5};
  for (std::int64_t l = 0; l < n_layers; ++l) {
    store(element(args.eps, {l}), args.eps.dtype, choose.of(kEps));
    for (std::int64_t i = 0; i < args.head_dim; ++i) {
      store(element(args.k_norm_weight, {l, i}), args.k_norm_weight.dtype, 1.25 + number());
    }
  }
  for (std::int64_t i = 0; i < args.cos_sin_cache.elements; ++i) {
    store(nth_element(args.cos_sin_cache, i), args.cos_sin_cache.dtype, number());
  }
  if (args.fault.given) {
    std::memcpy(reinterpret_cast<std::byte*>(args.fault.address), &kNoFault, sizeof kNoFault);
  }
}

}  // namespace prelaunch::kv_materialize
