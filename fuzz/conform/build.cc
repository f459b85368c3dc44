#include "fuzz/conform/build.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>

#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kCommon =
    "-O1 -fno-omit-frame-pointer -gline-tables-only -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION";
constexpr std::string_view kAddress =
    "-fsanitize=address -fsanitize-address-use-after-scope -fsanitize=fuzzer-no-link";
// As the images spell it; overflow of unsigned numbers is coverage there, never an error.
constexpr std::string_view kUndefined =
    "-fsanitize=bool,array-bounds,float-divide-by-zero,function,integer-divide-by-zero,return,"
    "shift,"
    "signed-integer-overflow,unsigned-integer-overflow,vla-bound,vptr "
    "-fno-sanitize-recover=bool,array-bounds,float-divide-by-zero,function,integer-divide-by-zero,"
    "return,shift,signed-integer-overflow,vla-bound,vptr -fsanitize=fuzzer-no-link";
constexpr std::string_view kCoverage =
    "-fprofile-instr-generate -fcoverage-mapping -pthread -Wl,--no-as-needed -Wl,-ldl -Wl,-lm "
    "-Wno-unused-command-line-argument";

constexpr BuildKind kKinds[] = {
    {.name = "libfuzzer-address",
     .engine = "libfuzzer",
     .sanitizer = "address",
     .library = "libstdc++",
     .cxx = "clang++-19",
     .flags = kAddress,
     .link = "-fsanitize=fuzzer"},
    {.name = "libfuzzer-undefined",
     .engine = "libfuzzer",
     .sanitizer = "undefined",
     .library = "libstdc++",
     .cxx = "clang++-19",
     .flags = kUndefined,
     .link = "-fsanitize=fuzzer",
     .option = "UBSAN_OPTIONS",
     .option_value = "silence_unsigned_overflow=1"},
    {.name = "afl-address",
     .engine = "afl",
     .sanitizer = "address",
     .library = "libstdc++",
     .cxx = "afl-clang-fast++",
     .flags = "-fsanitize=address -fsanitize-address-use-after-scope",
     .link = "/usr/lib/afl/libAFLDriver.a",
     .option = "AFL_QUIET",
     .option_value = "1"},
    {.name = "libfuzzer-coverage",
     .engine = "libfuzzer",
     .sanitizer = "coverage",
     .library = "libstdc++",
     .cxx = "clang++-19",
     .flags = kCoverage,
     .link = "-fsanitize=fuzzer"},
    {.name = "libfuzzer-address-libc++",
     .engine = "libfuzzer",
     .sanitizer = "address",
     .library = "libc++",
     .cxx = "clang++-19",
     .flags = kAddress,
     .link = ""},
};

// The line of a build's log that says most.
std::string error_of(std::string_view log) {
  for (const std::string_view key : {"multiple definition of", " error: ", "undefined reference",
                                     "CMake Error", "rror:", "rror "}) {
    const auto at = log.find(key);
    if (at == log.npos) continue;
    const auto start = log.rfind('\n', at) + 1;
    return std::string(log.substr(start, log.find('\n', at) - start));
  }
  const auto end = log.find_last_not_of('\n');
  return std::string(log.substr(log.rfind('\n', end) + 1, end - log.rfind('\n', end)));
}

// What no clean checkout holds.
bool is_left_out(const fs::path& name) {
  for (const char* each : {".git", "build", "corpus/.work", "reports/runs"}) {
    if (name == each) return true;
  }
  return false;
}

void copy_checkout(const fs::path& source, const fs::path& to) {
  make_folder(to);
  for (fs::recursive_directory_iterator it(source), end; it != end; ++it) {
    const fs::path name = it->path().lexically_relative(source);
    if (is_left_out(name)) {
      if (it->is_directory()) it.disable_recursion_pending();
    } else if (it->is_directory() && !it->is_symlink()) {
      fs::create_directory(to / name);
    } else {
      fs::copy(it->path(), to / name, fs::copy_options::copy_symlinks);
    }
  }
}

// A folder of a name that nobody can have written into the outputs.
fs::path random_folder(const fs::path& base) {
  std::string pattern = (base / "moved XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw FileError(fmt::format("{}: cannot create a folder", base.string()));
  }
  return pattern;
}

class Builder {
 public:
  Builder(const Build& build, const Engines& engines) : build_(build), engines_(engines) {}

  Built run() {
    copy_checkout(build_.source, source() / "prelaunch");
    for (const fs::path& dir : {work(), base() / "out", base() / "strict"}) make_folder(dir);
    Built built;
    std::string link(build_.kind.link);
    if (link.empty()) link = make_engine({engines_.hermetic.string(), "engine.o"}, built);
    if (built.failure.empty()) run_script(link, base() / "out", built);
    if (built.failure.empty() && !engines_.strict.empty()) link_strict(built);
    if (built.failure.empty()) built.out = moved(base() / "out");
    for (const fs::path& dir : {source(), work()}) fs::remove_all(dir);
    return built;
  }

 private:
  const fs::path& base() const { return build_.base; }
  fs::path source() const { return base() / "src"; }
  fs::path work() const { return base() / "work"; }

  std::string flags() const {
    std::string out = fmt::format("{} {}", kCommon, build_.kind.flags);
    if (build_.kind.library == "libc++") out += " -stdlib=libc++";
    return out;
  }
  std::string cc() const {
    std::string out(build_.kind.cxx);
    out.erase(out.find("++"), 2);
    return out;
  }
  Environment environment(const std::string& link, const fs::path& out) const {
    const BuildKind& kind = build_.kind;
    Environment env = {{"CC", cc()},
                       {"CXX", std::string(kind.cxx)},
                       {"CFLAGS", flags()},
                       {"CXXFLAGS", flags() + " -Werror"},
                       {"LIB_FUZZING_ENGINE", link},
                       {"FUZZING_ENGINE", std::string(kind.engine)},
                       {"SANITIZER", std::string(kind.sanitizer)},
                       {"ARCHITECTURE", "x86_64"},
                       {"OUT", out.string()},
                       {"SRC", source().string()},
                       {"WORK", work().string()}};
    if (!kind.option.empty()) env[std::string(kind.option)] = kind.option_value;
    return env;
  }

  void run_script(const std::string& link, const fs::path& out, Built& built) {
    const fs::path script = source() / "prelaunch" / "fuzz" / "oss-fuzz" / "build.sh";
    const Ended ended = fuzz::run({{"bash", "-eu", script.string()},
                                   environment(link, out),
                                   source(),
                                   std::chrono::minutes{30}},
                                  build_.log());
    if (ended.code != 0) built.failure = "the build failed: " + error_of(ended.output);
  }

  // Path of an engine that `words` leave as work()/engine.o.
  std::string make_engine(std::vector<std::string> words, Built& built) {
    const Ended ended = fuzz::run({std::move(words), {}, work()}, build_.log());
    if (ended.code != 0) built.failure = "no engine can be made: " + error_of(ended.output);
    return (work() / "engine.o").string();
  }

  void link_strict(Built& built) {
    const std::string line = fmt::format("{} {} -std=c++20 -c '{}' -o engine.o", build_.kind.cxx,
                                         flags(), engines_.strict.string());
    const std::string link = make_engine({"sh", "-c", line}, built);
    if (built.failure.empty()) run_script(link, base() / "strict", built);
    built.strict = base() / "strict";
  }

  fs::path moved(const fs::path& out) const {
    const fs::path to = random_folder(base());
    fs::rename(out, to);
    return to;
  }

  const Build& build_;
  const Engines& engines_;
};

}  // namespace

std::span<const BuildKind> build_kinds() { return kKinds; }

std::vector<std::string> promised_targets(const fs::path& source) {
  std::vector<std::string> out;
  for (const fs::path& path : list_files(source / "fuzz", ".cc")) {
    const std::string stem = path.stem().string();
    if (!stem.ends_with("_fuzzer")) continue;
    const std::string op = stem.substr(0, stem.size() - std::string_view("_fuzzer").size());
    for (const char* profile : {"validate", "execute"}) {
      out.push_back(fmt::format("{}_{}_fuzzer", op, profile));
    }
  }
  return out;
}

Built build(const Build& build, const Engines& engines) {
  try {
    return Builder(build, engines).run();
  } catch (const fs::filesystem_error& error) {
    throw FileError(error.what());
  }
}

}  // namespace prelaunch::fuzz
