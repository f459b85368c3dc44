#include "fuzz/triage/simpler.h"

#include <array>
#include <functional>
#include <set>

namespace prelaunch::fuzz {
namespace {

// A part of a field's value that is given or taken whole.
enum class Part : std::uint8_t { kPresence, kScalar, kDtype, kDevice, kLayout, kMemory, kContents };
constexpr auto kParts =
    std::to_array<Part>({Part::kPresence, Part::kScalar, Part::kDtype, Part::kDevice, Part::kLayout,
                         Part::kMemory, Part::kContents});

void take_layout(TensorSpec& to, const TensorSpec& from) {
  to.rank = from.rank;
  to.null_shape = from.null_shape;
  to.null_strides = from.null_strides;
  to.shape = from.shape;
  to.strides = from.strides;
}

void take_memory(TensorSpec& to, const TensorSpec& from) {
  to.source = from.source;
  to.buffer = from.buffer;
  to.offset = from.offset;
  to.literal = from.literal;
}

void take_scalar(Value& to, const Value& from) {
  to.integer = from.integer;
  to.boolean = from.boolean;
  to.real = from.real;
}

void take(Value& to, const Value& from, Part part) {
  switch (part) {
    case Part::kPresence:
      if (to.absent != from.absent) to = from;
      return;
    case Part::kScalar:
      return take_scalar(to, from);
    case Part::kDtype:
      to.tensor.dtype = from.tensor.dtype;
      return;
    case Part::kDevice:
      to.tensor.device = from.tensor.device;
      return;
    case Part::kLayout:
      return take_layout(to.tensor, from.tensor);
    case Part::kMemory:
      return take_memory(to.tensor, from.tensor);
    case Part::kContents:
      to.tensor.fill = from.tensor.fill;
  }
}

class Closer {
 public:
  Closer(const OpInfo& op, const Call& call, const Call& base)
      : op_(op), call_(call), base_(base) {}

  std::vector<Call> all() {
    add([](std::size_t, Part) { return true; }, true);
    add([](std::size_t, Part) { return false; }, true);
    for (const Part part : kParts) {
      add([part](std::size_t, Part p) { return p != part; });
      add([part](std::size_t, Part p) { return p == part; });
    }
    for (std::size_t field = 0; field < op_.fields.size(); ++field) {
      add([field](std::size_t f, Part) { return f != field; });
      add([field](std::size_t f, Part) { return f == field; });
    }
    for (std::size_t field = 0; field < op_.fields.size(); ++field) {
      for (const Part part : kParts) {
        add([field, part](std::size_t f, Part p) { return f == field && p == part; });
      }
    }
    return std::move(out_);
  }

 private:
  using Choice = std::function<bool(std::size_t field, Part)>;

  void add(const Choice& chosen, bool with_surroundings = false) {
    Call next = call_;
    for (std::size_t field = 0; field < op_.fields.size(); ++field) {
      for (const Part part : kParts) {
        if (chosen(field, part)) take(next.values[field], base_.values[field], part);
      }
    }
    if (with_surroundings) {
      next.current_device = base_.current_device;
      next.fill = base_.fill;
    }
    if (next != call_) out_.push_back(next);
  }

  const OpInfo& op_;
  const Call &call_, &base_;
  std::vector<Call> out_;
};

bool has_usable_rank(const TensorSpec& t) { return t.rank >= 0 && t.rank <= kMaxRank; }

// As far as int64 goes; false where it does not.
bool make_compact(TensorSpec& t) {
  std::int64_t stride = 1;
  for (auto d = static_cast<std::size_t>(t.rank); d-- > 0;) {
    t.strides[d] = stride;
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(t.shape[d], 1), &stride))
      return false;
  }
  return true;
}

bool is_compact(const TensorSpec& t) {
  TensorSpec compact = t;
  return !t.null_strides && make_compact(compact) && compact.strides == t.strides;
}

// Where a size or an integer stands.
struct Place {
  std::size_t field;
  int dim;  // -1: the field's integer
};

class Smaller {
 public:
  Smaller(const OpInfo& op, const Call& call) : op_(op), call_(call) {}

  std::vector<Call> all() {
    std::set<std::int64_t> numbers;
    for (const Place& place : places()) numbers.insert(number(place));
    for (const std::int64_t n : numbers) {
      for (const std::int64_t m : smaller_than(n)) {
        add(m, [&](const Place& place) { return number(place) == n; });
      }
    }
    for (const Place& only : places()) {
      for (const std::int64_t m : smaller_than(number(only))) {
        add(m, [&](const Place& p) { return p.field == only.field && p.dim == only.dim; });
      }
    }
    return std::move(out_);
  }

 private:
  static std::vector<std::int64_t> smaller_than(std::int64_t n) {
    std::vector<std::int64_t> out;
    for (const std::int64_t m : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, n / 2, n - 1}) {
      if (n > m && (out.empty() || m > out.back())) out.push_back(m);
    }
    return out;
  }

  std::vector<Place> places() const {
    std::vector<Place> out;
    for (std::size_t field = 0; field < op_.fields.size(); ++field) {
      const Value& value = call_.values[field];
      if (op_.fields[field].type == FieldType::kInteger) out.push_back({field, -1});
      if (op_.fields[field].type != FieldType::kTensor || value.absent) continue;
      if (value.tensor.null_shape || !has_usable_rank(value.tensor)) continue;
      for (int d = 0; d < value.tensor.rank; ++d) out.push_back({field, d});
    }
    return out;
  }
  std::int64_t number(const Place& place) const {
    const Value& value = call_.values[place.field];
    return place.dim < 0 ? value.integer : value.tensor.shape[static_cast<std::size_t>(place.dim)];
  }

  void add(std::int64_t m, const std::function<bool(const Place&)>& chosen) {
    Call next = call_;
    for (const Place& place : places()) {
      if (!chosen(place)) continue;
      Value& value = next.values[place.field];
      if (place.dim < 0) {
        value.integer = m;
        continue;
      }
      const bool compact = is_compact(value.tensor);
      value.tensor.shape[static_cast<std::size_t>(place.dim)] = m;
      if (compact) static_cast<void>(make_compact(value.tensor));
    }
    out_.push_back(next);
  }

  const OpInfo& op_;
  const Call& call_;
  std::vector<Call> out_;
};

}  // namespace

std::vector<Call> closer_calls(const OpInfo& op, const Call& call, const Call& base) {
  return Closer(op, call, base).all();
}

std::vector<Call> smaller_calls(const OpInfo& op, const Call& call) {
  return Smaller(op, call).all();
}

}  // namespace prelaunch::fuzz
