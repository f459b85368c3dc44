#include "fuzz/conform/binary.h"

#include <fmt/format.h>

#include <array>

#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace {

constexpr std::array<std::string_view, 3> kRuntimes = {"__asan", "__ubsan", "__msan"};

struct Bound {
  std::string_view runtime;
  int least, most;
};
// Runtimes hold a few calls of each other.
constexpr Bound kAddressBounds[] = {
    {"__asan", 1000, 1 << 30}, {"__ubsan", 0, 200}, {"__msan", 0, 0}};
constexpr Bound kUndefinedBounds[] = {
    {"__asan", 0, 0}, {"__ubsan", 168, 1 << 30}, {"__msan", 0, 3}};
constexpr Bound kCoverageBounds[] = {{"__asan", 0, 0}, {"__ubsan", 0, 167}, {"__msan", 0, 0}};

std::span<const Bound> bounds_of(std::string_view sanitizer) {
  if (sanitizer == "address") return kAddressBounds;
  if (sanitizer == "undefined") return kUndefinedBounds;
  return kCoverageBounds;
}

// glibc's own, without which nothing runs.
const std::set<std::string> kLibc = {"libc.so.6",           "libm.so.6",  "libdl.so.2",
                                     "libpthread.so.0",     "librt.so.1", "libresolv.so.2",
                                     "ld-linux-x86-64.so.2"};

// Calls visit(line) for each line.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string tool(std::vector<std::string> words, const std::filesystem::path& scratch) {
  const std::string name = words.front();
  const Ended ended = run({std::move(words), {}, scratch}, scratch / "tool.log");
  if (ended.code != 0) {
    throw FileError(fmt::format("{} ended with exit code {}: {}", name, ended.code,
                                ended.output.substr(0, ended.output.find('\n'))));
  }
  return ended.output;
}

// Address of the global symbol `name` in the output of llvm-nm, or empty.
std::string address_of(std::string_view symbols, std::string_view name) {
  std::string address;
  for_each_line(symbols, [&](std::string_view line) {
    if (line.ends_with(fmt::format(" T {}", name))) address = line.substr(0, line.find(' '));
  });
  return address;
}

// "??:0:0" is what an engine's main() has for a place.
std::string source_of(const std::string& address, const std::filesystem::path& program,
                      const std::filesystem::path& scratch) {
  if (address.empty()) return {};
  const std::string place = tool({"llvm-symbolizer-19", "--functions=none", "--output-style=GNU",
                                  "--obj=" + program.string(), "0x" + address},
                                 scratch);
  const std::string file = place.substr(0, place.find(':'));
  return file == "??" ? "" : std::filesystem::path(file).filename().string();
}

}  // namespace

std::map<std::string, int, std::less<>> count_calls(std::string_view disassembly) {
  std::map<std::string, int, std::less<>> calls;
  for (const std::string_view runtime : kRuntimes) calls[std::string(runtime)] = 0;
  for_each_line(disassembly, [&](std::string_view line) {
    const auto name = line.rfind('<');
    if (name == line.npos || line.find("call") > name) return;
    for (const std::string_view runtime : kRuntimes) {
      calls.find(runtime)->second += line.substr(name + 1).starts_with(runtime);
    }
  });
  return calls;
}

std::set<std::string> needed_libraries(std::string_view dynamic_section) {
  std::set<std::string> out;
  for_each_line(dynamic_section, [&](std::string_view line) {
    const auto begin = line.find('['), end = line.rfind(']');
    if (line.find("(NEEDED)") == line.npos || begin == line.npos || end <= begin) return;
    out.emplace(line.substr(begin + 1, end - begin - 1));
  });
  return out;
}

Binary inspect(const std::filesystem::path& program, const std::filesystem::path& scratch) {
  const std::string file = program.string();
  const std::string symbols = tool({"llvm-nm-19", "--defined-only", file}, scratch);
  // The lines that matter, of hundreds of megabytes.
  const std::string calls = tool({"sh", "-c",
                                  "objdump -d --no-show-raw-insn \"$0\" | "
                                  "{ grep 'call.*<__' || test $? = 1; }",
                                  file},
                                 scratch);
  return {.calls = count_calls(calls),
          .libraries = needed_libraries(tool({"llvm-readelf-19", "-d", file}, scratch)),
          .main_file = source_of(address_of(symbols, "main"), program, scratch),
          .has_target = !address_of(symbols, "LLVMFuzzerTestOneInput").empty()};
}

std::vector<std::string> check_binary(const Binary& binary, const BuildKind& kind) {
  std::vector<std::string> wrong;
  if (!binary.has_target) wrong.emplace_back("it holds no LLVMFuzzerTestOneInput");
  if (!binary.main_file.empty()) {
    wrong.push_back(
        fmt::format("it has a main() of its own, from {}; the engine brings it", binary.main_file));
  }
  for (const Bound& bound : bounds_of(kind.sanitizer)) {
    const int count = binary.calls.find(bound.runtime)->second;
    if (count >= bound.least && count <= bound.most) continue;
    wrong.push_back(fmt::format("{} calls of {}*: expected {}", count, bound.runtime,
                                count < bound.least ? fmt::format("at least {}", bound.least)
                                                    : fmt::format("at most {}", bound.most)));
  }
  for (const std::string& library : binary.libraries) {
    if (kLibc.count(library) == 0) {
      wrong.push_back(fmt::format("it needs {}: expected everything but libc inside", library));
    }
  }
  return wrong;
}

}  // namespace prelaunch::fuzz
