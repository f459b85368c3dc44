#include "fuzz/coverage/counted_calls.h"

#include "fuzz/campaign/fuzzer.h"
#include "fuzz/campaign/interrupt.h"
#include "fuzz/codec.h"
#include "fuzz/files.h"
#include "fuzz/pack.h"

// Of the profiling runtime. A program that defines the first writes its counts when it asks for it,
// not wherever it happens to end.
extern "C" {
extern int __llvm_profile_runtime;
int __llvm_profile_runtime = 0;
void __llvm_profile_set_filename(const char* path);
int __llvm_profile_write_file();
}

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

void judge_one(const OpInfo& op, const Call& call) {
  if (interrupted()) throw Interrupted();
  // Whether the verdict is right is what replaying asks.
  static_cast<void>(
      op.judge(call, {}, {.profile = Profile::kValidate, .explain = Explain::kAlways}));
}

std::size_t judge_found(const OpInfo& op, const fs::path& folder) {
  if (std::error_code ignored; !fs::exists(folder, ignored)) return 0;
  std::size_t count = 0;
  for (const fs::path& path : list_files(folder, "")) {
    if (std::error_code error; fs::file_size(path, error) > kMaxInputBytes || error) continue;
    const std::string bytes = read_file(path, kMaxInputBytes);
    Call call;
    decode(op, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, call);
    judge_one(op, call);
    ++count;
  }
  return count;
}

}  // namespace

CallCounts judge_calls(const OpInfo& op, const fs::path& corpus) {
  CallCounts counts;
  for (const NamedCall& named : stored_calls(op, corpus)) {
    judge_one(op, named.call);
    ++counts.stored;
  }
  for (const Profile profile : {Profile::kValidate, Profile::kExecute}) {
    counts.found += judge_found(op, corpus / ".work" / target_name(op, profile));
  }
  return counts;
}

void write_counts(const fs::path& path) {
  __llvm_profile_set_filename(path.c_str());
  if (__llvm_profile_write_file() != 0) throw FileError(path.string() + ": cannot write");
}

}  // namespace prelaunch::fuzz
