#include "fuzz/quarantine.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "fuzz/codec.h"
#include "fuzz/difference.h"

namespace prelaunch::fuzz {
namespace {

std::string name_of(const OpInfo& op, const Difference& difference) {
  return fmt::format("{}.{}", op.fields[difference.field].name, difference.property);
}

bool agrees(const OpInfo& op, const Call& call, const Quarantine& quarantine) {
  const auto differs = differences(op, quarantine.call, call);
  if (quarantine.where.empty()) return differs.empty();
  return std::none_of(differs.begin(), differs.end(), [&](const Difference& each) {
    // Of an argument that is absent in one of the two nothing agrees.
    const std::string name = name_of(op, each);
    return std::any_of(
        quarantine.where.begin(), quarantine.where.end(), [&](const std::string& where) {
          const bool absent = each.property == "presence";
          return where == name ||
                 (absent && where.starts_with(std::string(op.fields[each.field].name) + "."));
        });
  });
}

std::string hexadecimal(std::span<const std::uint8_t> bytes) {
  std::string out;
  for (const std::uint8_t byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

std::optional<std::vector<std::uint8_t>> bytes_of(std::string_view text) {
  if (text.size() % 2 != 0 || text.size() / 2 > kMaxExplicitBytes) return std::nullopt;
  std::vector<std::uint8_t> out;
  for (; !text.empty(); text.remove_prefix(2)) {
    std::uint8_t byte = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + 2, byte, 16);
    if (error != std::errc{} || end != text.data() + 2) return std::nullopt;
    out.push_back(byte);
  }
  return out;
}

std::optional<Quarantine> parse_line(const OpInfo& op, const std::string& line) {
  std::istringstream words(line);
  std::string word;
  words >> word;
  const auto bytes = bytes_of(word);
  if (!bytes) return std::nullopt;
  Quarantine out;
  decode(op, *bytes, out.call);
  while (words >> word) {
    if (!is_property(op, word)) return std::nullopt;
    out.where.push_back(word);
  }
  return out;
}

std::vector<Quarantine> from_environment(const OpInfo& op) {
  const char* path = std::getenv("PRELAUNCH_QUARANTINE");
  if (path == nullptr) return {};
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  auto out = parse_quarantine(op, text);
  if (in && out) return *std::move(out);
  std::fprintf(stderr, "prelaunch: PRELAUNCH_QUARANTINE: expected calls of %.*s in %s\n",
               static_cast<int>(op.name.size()), op.name.data(), path);
  std::exit(3);
}

}  // namespace

bool is_property(const OpInfo& op, std::string_view text) {
  // Two calls that differ in everything name all properties there are.
  static constexpr std::string_view kTensor[] = {
      "presence", "dtype", "device", "rank", "null_shape", "data", "null_strides", "byte_offset"};
  return std::any_of(op.fields.begin(), op.fields.end(), [text](const FieldInfo& field) {
    std::string_view rest = text;
    if (!rest.starts_with(field.name)) return false;
    rest.remove_prefix(field.name.size());
    if (!rest.starts_with('.')) return false;
    rest.remove_prefix(1);
    if (field.type != FieldType::kTensor) return rest == "value" || rest == "presence";
    if (std::find(std::begin(kTensor), std::end(kTensor), rest) != std::end(kTensor)) return true;
    for (int d = 0; d < kMaxRank; ++d) {
      if (rest == fmt::format("shape[{}]", d) || rest == fmt::format("strides[{}]", d)) return true;
    }
    return false;
  });
}

std::optional<std::size_t> place_in_quarantine(const OpInfo& op, const Call& call,
                                               std::span<const Quarantine> quarantine) {
  for (std::size_t i = 0; i < quarantine.size(); ++i) {
    if (agrees(op, call, quarantine[i])) return i;
  }
  return std::nullopt;
}

std::string format_quarantine(const OpInfo& op, std::span<const Quarantine> quarantine) {
  std::string out;
  for (const Quarantine& each : quarantine) {
    out += hexadecimal(encode(op, each.call));
    for (const std::string& where : each.where) out += " " + where;
    out += "\n";
  }
  return out;
}

std::optional<std::vector<Quarantine>> parse_quarantine(const OpInfo& op, std::string_view text) {
  std::vector<Quarantine> out;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    auto each = parse_line(op, line);
    if (!each) return std::nullopt;
    out.push_back(*std::move(each));
  }
  return out;
}

const std::vector<Quarantine>& quarantine(const OpInfo& op) {
  static const std::vector<Quarantine> own = from_environment(op);
  return own;
}

}  // namespace prelaunch::fuzz
