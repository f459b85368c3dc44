// The definition, spelled on the host in double precision. Where the page calls more than one
// answer right, the answer that was got decides which way this goes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/common/fault.h"
#include "kernels/common/host_tensor.h"
#include "kernels/dflash_sampling/dflash_sampling.h"

namespace prelaunch::dflash_sampling {
namespace {

constexpr double kDelta = 0x1p-15;
// Ratios from the first up have mass, those below the second have none: an f32 has no such number.
// Between them a kernel may count them or not.
constexpr double kSurelyMass = 0x1p-125, kSurelyNone = 0x1p-150;

double of_request(const TensorView& view, std::int64_t b) {
  return load(nth_element(view, b), view.dtype);
}
bool is_coin(double coin) { return coin >= 0 && coin < 1; }

// What was got at a row that the chain reaches.
struct Got {
  std::int64_t row = 0;
  // A token of the vocabulary, or -1 where there is none to judge.
  std::int64_t draft = -1;
  bool accepted = false;
  double coin = 0;
  // Where the chain stopped.
  double final_coin = 0;
  std::int64_t bonus = -1;
};

// A row's distribution before top_p: tokens that top_k keeps, the most probable first.
class Distribution {
 public:
  // Nothing when the guard objects to the row.
  static std::optional<Distribution> of(const Args& args, std::int64_t b, std::int64_t row) {
    Distribution out;
    const double temperature = of_request(args.temperatures, b);
    out.top_p_ = args.top_ps.given ? of_request(args.top_ps, b) : 1;
    if (!(temperature >= 0x1p-126 && std::isfinite(temperature)) || std::isnan(out.top_p_)) {
      return std::nullopt;
    }
    const std::int64_t vocab = args.next_token_logits.shape[1];
    double most = -INFINITY;
    for (std::int64_t x = 0; x < vocab; ++x) {
      const double logit = value(args.next_token_logits, {row, x});
      if (std::isnan(logit) || logit == INFINITY) return std::nullopt;
      most = std::max(most, logit);
      out.logits_.push_back(logit);
      out.order_.push_back(x);
    }
    if (most == -INFINITY) return std::nullopt;
    for (const double logit : out.logits_)
      out.mass_.push_back(std::exp((logit - most) / temperature));
    std::sort(out.order_.begin(), out.order_.end(), [&out](std::int64_t x, std::int64_t y) {
      return out.logit(x) != out.logit(y) ? out.logit(x) > out.logit(y) : x < y;
    });
    if (args.top_ks.given) {
      const std::int64_t k = std::clamp(
          load_integer(nth_element(args.top_ks, b), args.top_ks.dtype), std::int64_t{1}, vocab);
      auto kept = static_cast<std::size_t>(k);
      while (kept < out.order_.size() && out.ties(kept - 1)) ++kept;
      out.order_.resize(kept);
    }
    return out;
  }

  // Whether some cut-off that the page calls right for top_p makes `got` right.
  bool allows(const Args& args, const Got& got) const {
    double all = 0;
    for (const std::int64_t x : order_) all += mass(x);
    Kept kept;
    bool reached = false;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      kept.add(order_[i], mass(order_[i]), got);
      if (ties(i)) continue;
      const bool last = i + 1 == order_.size();
      const double share = kept.all / all;
      bool right = false;
      if (top_p_ >= 1) {
        right = last;
      } else if (top_p_ <= 0) {
        right = !reached;
      } else {
        right = (!reached && (last || share >= top_p_)) || std::abs(share - top_p_) <= kDelta;
      }
      reached = reached || top_p_ <= 0 || share >= top_p_;
      if (right && follows(args, kept, got)) return true;
    }
    return false;
  }

 private:
  // Sums over the tokens that are kept: all, and apart from a rejected draft those before the
  // bonus and all.
  struct Kept {
    double all = 0, before = 0, others = 0;
    double most_of_others = 0;
    bool draft = false, bonus = false;

    void add(std::int64_t token, double mass, const Got& got) {
      all += mass;
      draft |= token == got.draft;
      if (token == got.draft) return;
      bonus |= token == got.bonus;
      others += mass;
      most_of_others = std::max(most_of_others, mass);
      if (token < got.bonus) before += mass;
    }
  };

  double logit(std::int64_t token) const { return logits_[static_cast<std::size_t>(token)]; }
  double mass(std::int64_t token) const { return mass_[static_cast<std::size_t>(token)]; }
  // Whether place i and the next hold tokens of one logit (-0 equals 0).
  bool ties(std::size_t i) const {
    return i + 1 < order_.size() && logit(order_[i]) == logit(order_[i + 1]);
  }

  bool follows(const Args& args, const Kept& kept, const Got& got) const {
    if (got.draft >= 0) {
      const double m = kept.draft ? mass(got.draft) : 0, p = m / kept.all;
      const double price = got.coin * std::max(static_cast<double>(args.threshold_acc), 1e-9);
      const double single = static_cast<double>(args.threshold_single);
      const bool close = std::abs(price - p) <= kDelta * p || std::abs(p - single) <= kDelta * p;
      const bool accepts = price < p || p >= single;
      if (got.accepted) return m >= kSurelyNone && (accepts || close);
      if (m >= kSurelyMass && accepts && !close) return false;
    }
    return draws(kept, got);
  }

  bool draws(const Kept& kept, const Got& got) const {
    // The rejected draft may be the most probable token of its row.
    const bool most_probable = got.bonus >= 0 && logit(got.bonus) == logit(order_.front());
    if (kept.most_of_others < kSurelyMass && most_probable) return true;
    if (!kept.bonus || mass(got.bonus) < kSurelyNone) return false;
    const double target = got.final_coin * kept.others, slack = kDelta * kept.others;
    return target >= kept.before - slack && target <= kept.before + mass(got.bonus) + slack;
  }

  double top_p_ = 1;
  std::vector<double> logits_, mass_;
  std::vector<std::int64_t> order_;
};

// One request against its definition.
class Request {
 public:
  Request(const Args& before, const Args& after, std::int64_t b)
      : args_(before),
        b_(b),
        n_(before.candidates.shape[1]),
        accept_len_(integer(after.accept_len, {b})),
        bonus_(integer(after.bonus, {b})) {}

  // What is wrong, or nothing.
  std::optional<std::string> judge() {
    const std::int64_t vocab = args_.next_token_logits.shape[1];
    for (std::int64_t r = 0;; ++r) {
      const auto row = Distribution::of(args_, b_, b_ * n_ + r);
      if (!row) return ends(r, FaultCode::kBadDistribution);
      Got got{.row = r};
      bool out_of_range = false;
      if (r < n_ - 1) {
        got.coin = value(args_.uniform_samples, {b_, r});
        if (!is_coin(got.coin)) return ends(r, FaultCode::kCoinOutOfRange);
        got.draft = integer(args_.candidates, {b_, r + 1});
        out_of_range = got.draft < 0 || got.draft >= vocab;
        if (out_of_range) {
          got.draft = -1;
          note(FaultCode::kTokenOutOfRange);
        }
      }
      const bool can_accept = r < n_ - 1 && !out_of_range;
      got.accepted = can_accept && accept_len_ > r;
      if (got.accepted) {
        if (row->allows(args_, got)) continue;
        return fmt::format("accept_len[{}] is {}, but row {} does not accept token {}", b_,
                           accept_len_, r, got.draft);
      }
      if (accept_len_ != r) {
        return fmt::format("accept_len[{}] is {}, expected {}", b_, accept_len_, r);
      }
      got.final_coin = of_request(args_.uniform_samples_for_final_sampling, b_);
      if (!is_coin(got.final_coin)) return ends(r, FaultCode::kCoinOutOfRange);
      got.bonus = bonus_;
      if (bonus_ >= 0 && bonus_ < vocab && row->allows(args_, got)) return std::nullopt;
      return fmt::format("request {} stopped at row {} with bonus {}, which is not right", b_, r,
                         bonus_);
    }
  }
  // The smallest word that the request records; kNoFault when none.
  std::uint64_t fault() const { return fault_; }

 private:
  void note(FaultCode code) {
    fault_ = std::min(fault_, fault_word(static_cast<std::uint64_t>(b_), code));
  }
  std::optional<std::string> ends(std::int64_t accepted, FaultCode code) {
    note(code);
    if (accept_len_ == accepted && bonus_ == -1) return std::nullopt;
    return fmt::format("{} at row {}: accept_len[{}] is {} and bonus {}, expected {} and -1",
                       to_string(code), accepted, b_, accept_len_, bonus_, accepted);
  }

  const Args& args_;
  std::int64_t b_, n_, accept_len_, bonus_;
  std::uint64_t fault_ = kNoFault;
};

std::uint64_t word(const TensorView& fault) {
  return static_cast<std::uint64_t>(load_integer(nth_element(fault, 0), fault.dtype));
}

}  // namespace

std::optional<std::string> verify(const Args& before, const Args& after) {
  std::uint64_t fault = before.fault.given ? word(before.fault) : kNoFault;
  for (std::int64_t b = 0; b < before.candidates.shape[0]; ++b) {
    Request request(before, after, b);
    if (auto wrong = request.judge()) return wrong;
    fault = std::min(fault, request.fault());
  }
  if (before.fault.given && word(after.fault) != fault) {
    return fmt::format("fault is {:#x}, expected {:#x}", word(after.fault), fault);
  }
  return std::nullopt;
}

namespace {

double coin(Choices& choose) {
  if (choose.one_in(16)) return choose.of({0.0, 1 - 0x1p-24});
  return static_cast<double>(choose.below(1 << 16)) * 0x1p-16;
}

void store_at(const TensorView& view, std::int64_t flat, double number) {
  if (view.given) store(nth_element(view, flat), view.dtype, number);
}

// Logits of one of the kinds that models and masks make: flat ones with many ties, a wide spread, a
// few that a mask has left.
void prepare_row(const TensorView& logits, std::int64_t row, std::int64_t draft, Choices& choose) {
  const std::int64_t vocab = logits.shape[1];
  const std::uint64_t kind = choose.below(4);
  for (std::int64_t x = 0; x < vocab; ++x) {
    double logit = static_cast<double>(choose.below(64)) / 8 - 4;
    if (kind == 1) logit *= 8;
    if (logit == 0 && x % 2 == 1) logit = -0.0;
    if (kind == 2 && !choose.one_in(4)) logit = -INFINITY;
    store(element(logits, {row, x}), logits.dtype, logit);
  }
  // A draft that is likely, or the one token that the mask must leave.
  if (kind == 2 || !choose.one_in(3)) {
    store(element(logits, {row, draft}), logits.dtype, static_cast<double>(choose.between(0, 6)));
  }
}

}  // namespace

void prepare(const Args& args, Choices& choose) {
  const auto [bs, n] = dims<2>(args.candidates);
  const std::int64_t vocab = args.next_token_logits.shape[1];
  for (std::int64_t b = 0; b < bs; ++b) {
    for (std::int64_t r = 0; r < n; ++r) {
      const auto draft = static_cast<std::int64_t>(choose.below(static_cast<std::uint64_t>(vocab)));
      if (r + 1 < n) {
        store(element(args.candidates, {b, r + 1}), args.candidates.dtype,
              static_cast<double>(draft));
      }
      prepare_row(args.next_token_logits, b * n + r, draft, choose);
      store(element(args.uniform_samples, {b, r}), kFloat32, coin(choose));
    }
    store_at(args.temperatures, b, choose.of({0.25, 1.0, 1.0, 1.5, 8.0, 1e-5}));
    const std::int64_t k = choose.one_in(8) ? std::int64_t{1} << 30 : choose.between(0, vocab);
    store_at(args.top_ks, b, static_cast<double>(k));
    store_at(args.top_ps, b,
             choose.one_in(4) ? coin(choose) : choose.of({0.95, 0.9, 0.5, 1.0, 0.0, 2.0}));
    store_at(args.uniform_samples_for_final_sampling, b, coin(choose));
  }
  store_at(args.fault, 0, 0x1p64);  // held to its range: kNoFault
}

}  // namespace prelaunch::dflash_sampling
