#include "fuzz/proof/corpus.h"

#include <fmt/format.h>

#include "fuzz/files.h"
#include "kernels/common/provenance.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;

std::vector<StoredCall> load_corpus(const OpInfo& op) {
  const fs::path folder = checkout() / "corpus" / op.name;
  std::vector<StoredCall> calls;
  for (const fs::path& path : call_files({folder})) {
    calls.push_back(load_call(path));
    if (calls.back().op == &op) continue;
    throw FileError(fmt::format("{}: expected a call of {}, got one of {}", path.string(), op.name,
                                calls.back().op->name));
  }
  if (calls.empty()) throw FileError(folder.string() + ": no *.json there");
  return calls;
}

std::string path_of(const StoredCall& stored) {
  return fs::relative(stored.path, checkout()).string();
}

std::vector<std::string> misjudged(const std::vector<StoredCall>& calls) {
  std::vector<std::string> out;
  for (const StoredCall& stored : calls) {
    const Judgement judgement =
        stored.op->judge(stored.named.call, stored.named.expect,
                         {.profile = Profile::kValidate, .explain = Explain::kNever});
    if (!judgement.is_finding()) continue;
    out.push_back(
        fmt::format("{}: {}: {}", path_of(stored), to_string(judgement.reason), judgement.detail));
  }
  return out;
}

}  // namespace prelaunch::fuzz
