// The definition in double precision, head by head: the state is built as the formula has it, with
// M, the same formula with every term made absolute, beside it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/common/fault.h"
#include "kernels/common/host_tensor.h"
#include "kernels/kda_replayssm/kda_replayssm.h"

namespace prelaunch::kda_replayssm {
namespace {

using Numbers = std::vector<double>;
using Wrong = std::optional<std::string>;

struct Sizes {
  std::int64_t B, H, HV, K, V, L, slots;
};

Sizes sizes_of(const Args& a) {
  const auto [slots, HV, V, K] = dims<4>(a.initial_state);
  return {a.mixed_qkv.shape[0], a.k_cache.shape[1], HV, K, V, a.d_cache.shape[2], slots};
}

// --- what a row is to do ------------------------------------------------------------------------

struct Plan {
  bool padding = false, flush = false;
  std::optional<FaultCode> fault;
  std::int64_t slot = -1, live = 0;

  bool runs() const { return !padding && !fault; }
};

Plan plan_of(const Args& a, const Sizes& n, std::int64_t b) {
  Plan plan;
  plan.slot = integer(a.ssm_state_indices, {b});
  plan.padding = plan.slot < 0;
  if (plan.padding) return plan;
  const auto is_earlier = [&](std::int64_t row) {
    return integer(a.ssm_state_indices, {row}) == plan.slot;
  };
  bool taken = false;
  for (std::int64_t row = 0; row < b && !taken; ++row) taken = is_earlier(row);
  if (plan.slot >= n.slots) {
    plan.fault = FaultCode::kSlotOutOfRange;
  } else if (taken) {
    plan.fault = FaultCode::kSlotDuplicated;
  } else {
    plan.live = integer(a.write_pos, {b});
    if (plan.live < 0 || plan.live >= n.L) plan.fault = FaultCode::kCursorOutOfRange;
  }
  if (!plan.runs()) return plan;
  plan.flush = plan.live == n.L - 1 || (a.force_flush.given && integer(a.force_flush, {b}) != 0);
  return plan;
}

// --- numbers with their magnitude ---------------------------------------------------------------

// A value, and the same formula with every term made absolute.
struct Sum {
  double value = 0, magnitude = 0;
  void add(double term, double absolute) {
    value += term;
    magnitude += absolute;
  }
};

// Follows what the kernel's f32 may meet: results are promised for rows that stay inside.
class Domain {
 public:
  double operator()(double number) {
    const double size = std::abs(number);
    inside_ = inside_ && (size == 0 || (size >= 0x1p-120 && size <= 0x1p120));
    return number;
  }
  bool inside() const { return inside_; }

 private:
  bool inside_ = true;
};

double unit_of(Dtype dtype) {
  return dtype == kBfloat16 ? 0x1p-8 : dtype == kFloat16 ? 0x1p-11 : 0x1p-24;
}

double largest_of(Dtype dtype) {
  return dtype == kFloat16 ? 65504.0 : static_cast<double>(std::numeric_limits<float>::max());
}

bool is_close(double got, double expected, double magnitude, Dtype dtype) {
  const double tolerance =
      unit_of(dtype) * std::abs(expected) + 0x1p-15 * magnitude + (dtype == kFloat16 ? 0x1p-25 : 0);
  // What f16 cannot hold rounds to infinity.
  if (std::isinf(got)) return std::copysign(1, got) * expected + tolerance > largest_of(dtype);
  return std::abs(got - expected) <= tolerance;
}

// --- one row and value head ---------------------------------------------------------------------

struct Head {
  Numbers q, k, v, g;  // q with the scale
  double beta = 0;
  std::vector<Sum> S;  // [V, K], before this token
  std::vector<Sum> delta, out;
  bool inside = true;
};

void normalise(Numbers& x, bool l2norm, Domain& domain) {
  double squares = 0;
  for (const double each : x) squares += domain(each) * each;
  const double factor = l2norm ? 1 / std::sqrt(domain(squares) + 1e-6) : 1;
  for (double& each : x) each = domain(each * factor);
}

double decay_of(const Args& a, double x, double A_log, Domain& domain) {
  const double rate = domain(std::exp(A_log));
  if (a.lower_bound) {
    const double bound = *a.lower_bound, sigmoid = 1 / (1 + std::exp(-rate * x));
    // One too small for f32 is as good as 0, unless the bound makes something of it.
    if (bound < -0x1p16) domain(sigmoid);
    return domain(bound * sigmoid);
  }
  return domain(-rate * (x > 20 ? x : std::log1p(std::exp(x))));
}

// By its flat number: `a` and `dt_bias` come in two ranks.
double flat(const TensorView& view, std::int64_t i) {
  return load(nth_element(view, i), view.dtype);
}

void read_inputs(const Args& a, const Sizes& n, std::int64_t b, std::int64_t hv, Head& head,
                 Domain& domain) {
  const std::int64_t h = hv / (n.HV / n.H);
  for (std::int64_t c = 0; c < n.K; ++c) {
    head.q.push_back(value(a.mixed_qkv, {b, h * n.K + c}));
    head.k.push_back(value(a.mixed_qkv, {b, (n.H + h) * n.K + c}));
    const std::int64_t channel = hv * n.K + c;
    const double x = flat(a.a, b * n.HV * n.K + channel) + flat(a.dt_bias, channel);
    head.g.push_back(decay_of(a, domain(x), flat(a.A_log, hv), domain));
  }
  for (std::int64_t v = 0; v < n.V; ++v) {
    head.v.push_back(domain(value(a.mixed_qkv, {b, 2 * n.H * n.K + hv * n.V + v})));
  }
  normalise(head.q, a.use_qk_l2norm, domain);
  normalise(head.k, a.use_qk_l2norm, domain);
  for (double& q : head.q) q = domain(q * double{a.scale});
  head.beta = domain(1 / (1 + std::exp(-value(a.b, {b, hv}))));
}

// S0 * exp(sum_j g_j) + sum_j d_j (k_j * exp(sum_{i>j} g_i))^T
void build_state(const Args& a, const Sizes& n, const Plan& plan, std::int64_t hv, Head& head,
                 Domain& domain) {
  const std::int64_t h = hv / (n.HV / n.H), s = plan.slot;
  head.S.resize(static_cast<std::size_t>(n.V * n.K));
  for (std::int64_t c = 0; c < n.K; ++c) {
    Numbers weight(static_cast<std::size_t>(plan.live) + 1);
    double sum = 0;
    for (std::int64_t j = plan.live; j >= 0; --j) {
      weight[static_cast<std::size_t>(j)] = domain(std::exp(sum));
      if (j == 0) break;
      const double g = value(a.g_cache, {s, hv, j - 1, c});
      domain(g);
      if (g > 0) domain(std::numeric_limits<double>::infinity());  // a live decay is at most 1
      sum += g;
    }
    // weight[j] is the product of the decays of entries j, j + 1, ..
    for (std::int64_t v = 0; v < n.V; ++v) {
      Sum& S = head.S[static_cast<std::size_t>(v * n.K + c)];
      const double kept = domain(domain(value(a.initial_state, {s, hv, v, c})) * weight[0]);
      S.add(kept, std::abs(kept));
      for (std::int64_t j = 0; j < plan.live; ++j) {
        const double d = domain(value(a.d_cache, {s, hv, j, v}));
        const double k = domain(value(a.k_cache, {s, h, j, c}));
        const double term = domain(d * domain(k * weight[static_cast<std::size_t>(j) + 1]));
        S.add(term, std::abs(term));
      }
      domain(S.magnitude);
    }
  }
}

void compute(const Sizes& n, bool flush, Head& head, Domain& domain) {
  Sum kq;
  for (std::size_t c = 0; c < head.k.size(); ++c) {
    const double term = domain(head.k[c] * head.q[c]);
    kq.add(term, std::abs(term));
  }
  for (std::int64_t v = 0; v < n.V; ++v) {
    Sum Sk, Sq;
    for (std::int64_t c = 0; c < n.K; ++c) {
      const auto i = static_cast<std::size_t>(c);
      const Sum& S = head.S[static_cast<std::size_t>(v * n.K + c)];
      const double grow = domain(std::exp(head.g[i]));
      const double k = domain(grow * head.k[i]), q = domain(grow * head.q[i]);
      Sk.add(S.value * k, S.magnitude * std::abs(k));
      Sq.add(S.value * q, S.magnitude * std::abs(q));
    }
    const double wanted = head.v[static_cast<std::size_t>(v)];
    const Sum delta{head.beta * (wanted - Sk.value), head.beta * (std::abs(wanted) + Sk.magnitude)};
    head.delta.push_back(delta);
    for (std::size_t c = 0; flush && c < head.k.size(); ++c) {
      domain(head.S[static_cast<std::size_t>(v) * head.k.size() + c].magnitude *
             std::exp(head.g[c]));
      domain(delta.magnitude * head.k[c]);
    }
    head.out.push_back({Sq.value + delta.value * kq.value,
                        domain(Sq.magnitude + domain(delta.magnitude) * kq.magnitude)});
  }
}

Head run_head(const Args& a, const Sizes& n, const Plan& plan, std::int64_t b, std::int64_t hv) {
  Head head;
  Domain domain;
  read_inputs(a, n, b, hv, head, domain);
  build_state(a, n, plan, hv, head, domain);
  compute(n, plan.flush, head, domain);
  head.inside = domain.inside();
  return head;
}

// --- comparing ----------------------------------------------------------------------------------

template <std::size_t kRank>
Wrong compare(std::string_view name, const TensorView& got, const std::int64_t (&index)[kRank],
              double expected, double magnitude) {
  const double number = value(got, index);
  if (is_close(number, expected, magnitude, got.dtype)) return std::nullopt;
  return fmt::format("{}[{}] is {}, expected {} (magnitude {})", name, fmt::join(index, ", "),
                     number, expected, magnitude);
}

Wrong compare_decay(const TensorView& got, std::int64_t slot, std::int64_t hv, std::int64_t entry,
                    const Numbers& g) {
  for (std::size_t c = 0; c < g.size(); ++c) {
    const double number = value(got, {slot, hv, entry, static_cast<std::int64_t>(c)});
    if (std::abs(number - g[c]) <= 0x1p-15 * std::abs(g[c]) + 0x1p-100) continue;
    return fmt::format("g_cache[{}, {}, {}, {}] is {}, expected {}", slot, hv, entry, c, number,
                       g[c]);
  }
  return std::nullopt;
}

Wrong compare_append(const Args& after, const Sizes& n, const Plan& plan, std::int64_t hv,
                     const Head& head) {
  const std::int64_t group = n.HV / n.H, s = plan.slot, m = plan.live;
  for (std::int64_t v = 0; v < n.V; ++v) {
    const Sum& delta = head.delta[static_cast<std::size_t>(v)];
    if (auto wrong = compare("d_cache", after.d_cache, {s, hv, m, v}, delta.value, delta.magnitude))
      return wrong;
  }
  for (std::int64_t c = 0; c < n.K && hv % group == 0; ++c) {
    const double k = head.k[static_cast<std::size_t>(c)];
    if (auto wrong = compare("k_cache", after.k_cache, {s, hv / group, m, c}, k, std::abs(k)))
      return wrong;
  }
  return compare_decay(after.g_cache, s, hv, m, head.g);
}

Wrong compare_flush(const Args& after, const Sizes& n, const Plan& plan, std::int64_t hv,
                    const Head& head) {
  for (std::int64_t v = 0; v < n.V; ++v) {
    for (std::int64_t c = 0; c < n.K; ++c) {
      const auto i = static_cast<std::size_t>(c);
      const Sum& S = head.S[static_cast<std::size_t>(v * n.K + c)];
      const Sum& delta = head.delta[static_cast<std::size_t>(v)];
      const double grow = std::exp(head.g[i]);
      if (auto wrong = compare("initial_state", after.initial_state, {plan.slot, hv, v, c},
                               S.value * grow + delta.value * head.k[i],
                               S.magnitude * grow + delta.magnitude * std::abs(head.k[i])))
        return wrong;
    }
  }
  return std::nullopt;
}

Wrong compare_head(const Args& before, const Args& after, const Sizes& n, const Plan& plan,
                   std::int64_t b, std::int64_t hv) {
  const Head head = run_head(before, n, plan, b, hv);
  if (!head.inside) return std::nullopt;  // unspecified
  for (std::int64_t v = 0; v < n.V; ++v) {
    const Sum& out = head.out[static_cast<std::size_t>(v)];
    if (auto wrong = compare("out", after.out, {b, 0, hv, v}, out.value, out.magnitude))
      return wrong;
  }
  return plan.flush ? compare_flush(after, n, plan, hv, head)
                    : compare_append(after, n, plan, hv, head);
}

Wrong compare_zero(const Args& after, const Sizes& n, std::int64_t b) {
  for (std::int64_t hv = 0; hv < n.HV; ++hv) {
    for (std::int64_t v = 0; v < n.V; ++v) {
      if (const double got = value(after.out, {b, 0, hv, v}); got != 0) {
        return fmt::format("out[{}, 0, {}, {}] of a row that does not run is {}", b, hv, v, got);
      }
    }
  }
  return std::nullopt;
}

// --- what must be as it was ---------------------------------------------------------------------

// Rows of a pool, [slots, heads, rows], by their flat number.
using Written = std::vector<bool>;

Wrong compare_kept(std::string_view name, const TensorView& before, const TensorView& after,
                   const Written& written) {
  const auto [slots, heads, rows, channels] = dims<4>(before);
  const auto bytes = static_cast<std::size_t>(channels * before.dtype.bytes());
  std::size_t flat = 0;
  for (std::int64_t s = 0; s < slots; ++s) {
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t r = 0; r < rows; ++r) {
        if (written[flat++]) continue;
        const std::int64_t index[4] = {s, h, r, 0};
        if (std::memcmp(element(before, index), element(after, index), bytes) == 0) continue;
        return fmt::format("{}[{}, {}, {}] was not to be written", name, s, h, r);
      }
    }
  }
  return std::nullopt;
}

Written nothing_of(const TensorView& pool) {
  return Written(static_cast<std::size_t>(pool.shape[0] * pool.shape[1] * pool.shape[2]));
}
void mark(Written& written, const TensorView& pool, std::int64_t slot, std::int64_t row) {
  for (std::int64_t h = 0; h < pool.shape[1]; ++h) {
    written[static_cast<std::size_t>((slot * pool.shape[1] + h) * pool.shape[2] + row)] = true;
  }
}

Wrong compare_rest(const Args& before, const Args& after, const std::vector<Plan>& plans) {
  Written state = nothing_of(before.initial_state), d = nothing_of(before.d_cache),
          k = nothing_of(before.k_cache), g = nothing_of(before.g_cache);
  for (const Plan& plan : plans) {
    if (!plan.runs()) continue;
    if (plan.flush) {
      for (std::int64_t v = 0; v < before.initial_state.shape[2]; ++v) {
        mark(state, before.initial_state, plan.slot, v);
      }
    } else {
      mark(d, before.d_cache, plan.slot, plan.live);
      mark(k, before.k_cache, plan.slot, plan.live);
      mark(g, before.g_cache, plan.slot, plan.live);
    }
  }
  if (auto wrong = compare_kept("initial_state", before.initial_state, after.initial_state, state))
    return wrong;
  if (auto wrong = compare_kept("d_cache", before.d_cache, after.d_cache, d)) return wrong;
  if (auto wrong = compare_kept("k_cache", before.k_cache, after.k_cache, k)) return wrong;
  return compare_kept("g_cache", before.g_cache, after.g_cache, g);
}

std::uint64_t word_of(const TensorView& fault) {
  return static_cast<std::uint64_t>(load_integer(nth_element(fault, 0), fault.dtype));
}

Wrong compare_fault(const Args& before, const Args& after, const std::vector<Plan>& plans) {
  if (!before.fault.given) return std::nullopt;
  std::uint64_t expected = word_of(before.fault);
  for (std::size_t b = 0; b < plans.size(); ++b) {
    if (plans[b].fault) expected = std::min(expected, fault_word(b, *plans[b].fault));
  }
  const std::uint64_t got = word_of(after.fault);
  if (got == expected) return std::nullopt;
  return fmt::format("fault is {:#x}, expected {:#x}", got, expected);
}

}  // namespace

std::optional<std::string> verify(const Args& before, const Args& after) {
  const Sizes n = sizes_of(before);
  std::vector<Plan> plans;
  for (std::int64_t b = 0; b < n.B; ++b) {
    const Plan plan = plans.emplace_back(plan_of(before, n, b));
    if (!plan.runs()) {
      if (auto wrong = compare_zero(after, n, b)) return wrong;
      continue;
    }
    for (std::int64_t hv = 0; hv < n.HV; ++hv) {
      if (auto wrong = compare_head(before, after, n, plan, b, hv)) return wrong;
    }
  }
  if (auto wrong = compare_rest(before, after, plans)) return wrong;
  return compare_fault(before, after, plans);
}

namespace {

double draw(Choices& choose, double least, double most) {
  return least + (most - least) * static_cast<double>(choose.below(4096)) / 4096;
}

void draw_into(const TensorView& view, Choices& choose, double least, double most) {
  for (std::int64_t i = 0; i < view.elements; ++i) {
    store(nth_element(view, i), view.dtype, draw(choose, least, most));
  }
}

// Slots of their own for the first rows, in an order of their own; padding for the others and,
// where it is wanted, here and there in between.
void draw_slots(const Args& args, const Sizes& n, bool pads, Choices& choose) {
  std::vector<std::int64_t> free;
  for (std::int64_t s = 0; s < n.slots; ++s) free.push_back(s);
  for (std::int64_t b = 0; b < n.B; ++b) {
    std::int64_t slot = -1;
    if (!free.empty() && !(pads && choose.one_in(3))) {
      const auto at = static_cast<std::ptrdiff_t>(choose.below(free.size()));
      slot = free[static_cast<std::size_t>(at)];
      free.erase(free.begin() + at);
    }
    store(element(args.ssm_state_indices, {b}), args.ssm_state_indices.dtype,
          static_cast<double>(slot));
    store(element(args.write_pos, {b}), kInt32, static_cast<double>(choose.between(0, n.L - 1)));
    if (!args.force_flush.given) continue;
    store(element(args.force_flush, {b}), kInt32, choose.one_in(4) ? 1 : 0);
  }
}

// Entries at and after a row's cursor are never loaded: NaN would show.
void spoil_free_entries(const Args& args, const Sizes& n) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::int64_t b = 0; b < n.B; ++b) {
    const Plan plan = plan_of(args, n, b);
    if (!plan.runs()) continue;
    for (const TensorView* pool : {&args.d_cache, &args.k_cache, &args.g_cache}) {
      for (std::int64_t h = 0; h < pool->shape[1]; ++h) {
        for (std::int64_t j = plan.live; j < n.L; ++j) {
          for (std::int64_t c = 0; c < pool->shape[3]; ++c) {
            store(element(*pool, {plan.slot, h, j, c}), pool->dtype, nan);
          }
        }
      }
    }
  }
}

}  // namespace

void prepare(const Args& args, Choices& choose) {
  const Sizes n = sizes_of(args);
  const bool pads = choose.one_in(2);
  for (const TensorView* view : {&args.mixed_qkv, &args.a, &args.b, &args.A_log, &args.dt_bias,
                                 &args.initial_state, &args.d_cache, &args.k_cache}) {
    draw_into(*view, choose, -1, 1);
  }
  draw_into(args.g_cache, choose, -0.5, 0);
  draw_slots(args, n, pads, choose);
  spoil_free_entries(args, n);
  if (args.fault.given) {
    const std::uint64_t none = kNoFault;
    std::memcpy(nth_element(args.fault, 0), &none, sizeof none);
  }
}

}  // namespace prelaunch::kda_replayssm
