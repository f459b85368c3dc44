#include "fuzz/proof/corpus.h"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/files.h"
#include "kernels/common/provenance.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;

std::vector<StoredCall> load_corpus(const OpInfo& op) {
  const fs::path folder = checkout() / "corpus" / op.name;
  std::vector<StoredCall> calls;
  for (const fs::path& path : call_files({folder})) calls.push_back(load_call(path));
  if (calls.empty()) throw FileError(folder.string() + ": no *.json there");
  return calls;
}

std::vector<const OpInfo*> ops_named(const std::vector<std::string>& names) {
  if (names.empty()) return {all_ops().begin(), all_ops().end()};
  std::vector<const OpInfo*> out;
  for (const std::string& name : names) {
    const OpInfo* op = find_op(name);
    if (op == nullptr) {
      throw FileError(fmt::format("--ops: expected the name of an op, got {}", name));
    }
    if (std::find(out.begin(), out.end(), op) == out.end()) out.push_back(op);
  }
  return out;
}

}  // namespace prelaunch::fuzz
