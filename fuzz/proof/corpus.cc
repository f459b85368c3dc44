#include "fuzz/proof/corpus.h"

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

}  // namespace prelaunch::fuzz
