#include "fuzz/dictionary.h"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "fuzz/codec.h"

namespace prelaunch::fuzz {
namespace {

using Bytes = std::vector<std::uint8_t>;
// By bytes: no word stands twice.
using Words = std::map<Bytes, std::string>;

// Names hold letters, digits and underscores; libFuzzer ignores them, AFL++ shows them.
std::string name_of(std::string text) {
  for (char& c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!plain) c = '_';
  }
  return text;
}

void add(Words& words, const Bytes& bytes, const std::string& name) {
  if (bytes.size() > 1) words.emplace(bytes, name_of(name));
}

void add_number(Words& words, std::int64_t value) {
  add(words, encode_number(value), fmt::format("number_{}", value));
}

// Where 32 and 64 bits end.
constexpr std::int64_t kLimits[] = {std::int64_t{1} << 31, std::int64_t{1} << 32,
                                    std::int64_t{1} << 62, std::numeric_limits<std::int64_t>::max(),
                                    std::numeric_limits<std::int64_t>::min()};

void add_tensor(Words& words, const TensorSpec& tensor) {
  add(words, encode_dtype(tensor.dtype), "dtype_" + to_string(tensor.dtype));
  add(words, encode_device(tensor.device), "device_" + to_string(tensor.device));
  for (std::size_t d = 0; d < kMaxRank && static_cast<std::int32_t>(d) < tensor.rank; ++d) {
    add_number(words, tensor.shape[d]);
    add_number(words, tensor.strides[d]);
  }
}

}  // namespace

std::string dictionary(const OpInfo& op, std::span<const NamedCall> calls) {
  Words words;
  for (const std::int64_t limit : kLimits) add_number(words, limit);
  for (const NamedCall& named : calls) {
    for (std::size_t i = 0; i < op.fields.size(); ++i) {
      const Value& value = named.call.values[i];
      const FieldType type = op.fields[i].type;
      if (type == FieldType::kTensor && !value.absent) add_tensor(words, value.tensor);
      if (type == FieldType::kInteger) add_number(words, value.integer);
    }
  }
  std::string out;
  for (const auto& [bytes, name] : words) {
    out += name + "=\"";
    for (const std::uint8_t byte : bytes) out += fmt::format("\\x{:02X}", byte);
    out += "\"\n";
  }
  return out;
}

}  // namespace prelaunch::fuzz
