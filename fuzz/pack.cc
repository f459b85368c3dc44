#include "fuzz/pack.h"

#include <fmt/format.h>

#include "fuzz/codec.h"
#include "fuzz/files.h"
#include "fuzz/json.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kGenerated = 64;
// Bytes that decide the first choices; what follows comes from a generator seeded by them.
constexpr int kGeneratedBytes = 24;

std::string as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void pack_generated(const fs::path& out) {
  for (std::uint64_t seed = 0; seed < kGenerated; ++seed) {
    Choices choose(seed);
    std::vector<std::uint8_t> bytes = {1};
    for (int i = 0; i < kGeneratedBytes; ++i) {
      bytes.push_back(static_cast<std::uint8_t>(choose.below(256)));
    }
    write_file(out / fmt::format("generated-{:02}", seed), as_text(bytes));
  }
}

NamedCall read_call(const OpInfo& op, const fs::path& path) {
  try {
    ParsedCall parsed = parse_call(read_file(path, kMaxCallBytes));
    if (parsed.op == &op) return std::move(parsed.named);
    throw BadCall(fmt::format("expected a call of {}, got one of {}", op.name, parsed.op->name));
  } catch (const BadCall& error) {
    throw FileError(path.string() + ": " + error.what());
  }
}

}  // namespace

std::vector<NamedCall> stored_calls(const OpInfo& op, const fs::path& corpus) {
  std::vector<NamedCall> out;
  for (const char* part : {"seed", "regression"}) {
    const fs::path folder = corpus / op.name / part;
    if (std::error_code ignored; !fs::exists(folder, ignored)) continue;  // git keeps no empty one
    for (const fs::path& path : list_files(folder, ".json")) {
      out.push_back(read_call(op, path));
      out.back().name = fmt::format("{}-{}", part, path.stem().string());
    }
  }
  return out;
}

void pack_calls(const OpInfo& op, std::span<const NamedCall> calls, const fs::path& out) {
  make_folder(out);
  pack_generated(out);
  for (const NamedCall& named : calls) {
    write_file(out / named.name, as_text(encode(op, named.call)));
  }
}

}  // namespace prelaunch::fuzz
