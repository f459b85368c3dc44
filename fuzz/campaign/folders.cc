#include "fuzz/campaign/folders.h"

#include <fmt/format.h>

#include "fuzz/campaign/open_findings.h"
#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

std::string name_of(const TargetResult& target) { return target_name(*target.op, target.profile); }

}  // namespace

fs::path Folders::program(const TargetResult& target) const {
  return fuzzer_program(options_.programs, *target.op, target.profile);
}

fs::path Folders::checkout_corpus(const TargetResult& target) const {
  return options_.root / "corpus" / ".work" / name_of(target);
}

fs::path Folders::work_corpus(const TargetResult& target) const {
  return options_.shard ? options_.out / "corpus" / name_of(target) : checkout_corpus(target);
}

fs::path Folders::findings() const {
  return options_.shard ? options_.out / "findings" : open_findings_folder(options_.root);
}

fs::path Folders::seeds(const TargetResult& target) const {
  return part(std::string(target.op->name));
}

fs::path Folders::words(const TargetResult& target) const {
  return part(fmt::format("{}.dict", target.op->name));
}

fs::path Folders::quarantine(const TargetResult& target) const {
  return part(fmt::format("{}.quarantine", target.op->name));
}

TargetPaths Folders::paths(const TargetResult& target, unsigned worker) const {
  const std::string name = fmt::format("{}-{}", name_of(target), worker);
  TargetPaths out{.program = program(target),
                  .work_corpus = work_corpus(target),
                  .seeds = {seeds(target)},
                  .words = words(target),
                  .quarantine = quarantine(target),
                  .log = options_.out / "logs" / name,
                  .stats = part(name + ".stats"),
                  .artifacts = findings() / name,
                  .worker = worker};
  std::error_code ignored;
  const bool more = options_.shard && fs::is_directory(checkout_corpus(target), ignored);
  if (more) out.seeds.push_back(checkout_corpus(target));
  return out;
}

void Folders::make(const std::vector<TargetResult>& targets) const {
  for (const char* part : {"findings", "logs", ".parts"}) make_folder(options_.out / part);
  make_folder(findings());
  for (const TargetResult& target : targets) make_folder(work_corpus(target));
}

}  // namespace prelaunch::fuzz
