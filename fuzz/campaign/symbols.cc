#include "fuzz/campaign/symbols.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <map>

#include "fuzz/campaign/command.h"
#include "fuzz/campaign/finding.h"
#include "fuzz/temp_folder.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;

// A function and the file that it stands in.
struct Frame {
  std::string function, file;
};

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// "/path/program+0x1234" on a line of the stack.
std::optional<std::uint64_t> offset_of(std::string_view line, std::string_view program) {
  const std::string key = fmt::format("({}+0x", program);
  const std::size_t at = line.find(key);
  if (at == line.npos) return std::nullopt;
  line.remove_prefix(at + key.size());
  std::uint64_t value = 0;
  std::from_chars(line.data(), line.data() + line.size(), value, 16);
  return value;
}

// Return addresses, but for the first, lie behind the call.
std::vector<std::uint64_t> offsets_of(std::string_view report, std::string_view program) {
  std::vector<std::uint64_t> out;
  while (!report.empty()) {
    const std::string_view line = take_line(report);
    const std::size_t number = line.find('#');
    if (number == line.npos || line.find_first_not_of(' ') != number) continue;
    if (line.substr(number).starts_with("#0 ") && !out.empty()) break;  // another stack
    if (const auto offset = offset_of(line, program)) out.push_back(*offset);
  }
  return out;
}

// What the symbolizer prints for one address: a function and its place in turns.
std::vector<Frame> frames_in(std::string_view text) {
  std::vector<Frame> out;
  while (!text.empty()) {
    const std::string_view function = take_line(text);
    if (function.empty()) continue;
    const std::string_view place = take_line(text);
    out.push_back({std::string(function), std::string(place.substr(0, place.find(':')))});
  }
  return out;
}

// The same bug faults at the same few addresses: each is looked up once.
const std::vector<Frame>& frames_at(std::uint64_t offset, const std::string& program) {
  static std::map<std::uint64_t, std::vector<Frame>> known;
  const auto [entry, added] = known.try_emplace(offset);
  if (!added || symbolizer().empty()) return entry->second;
  const TempFolder folder;
  Command command;
  command.words = {symbolizer(), "--obj=" + program, fmt::format("{:#x}", offset)};
  command.folder = folder.path();
  const Ended ended = run(command, folder / "symbols");
  if (ended.code == 0) entry->second = frames_in(ended.output);
  return entry->second;
}

}  // namespace

std::vector<std::string> functions_of(std::string_view op, std::string_view report) {
  const std::string program = fs::read_symlink("/proc/self/exe").string();
  const std::string folder = fmt::format("/kernels/{}/", op);
  std::vector<std::string> out;
  for (const std::uint64_t offset : offsets_of(report, program)) {
    for (const Frame& frame : frames_at(offset, program)) {
      if (frame.file.find(folder) != frame.file.npos) out.push_back(plain_name(frame.function));
    }
  }
  return out;
}

std::string plain_name(std::string_view function) {
  std::string name;
  int depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    if (function.substr(i).starts_with("(anonymous namespace)")) {
      i += std::string_view("(anonymous namespace)").size() - 1;
      continue;
    }
    const char c = function[i];
    if (c == '(' && depth == 0) break;
    depth += (c == '<') - (c == '>');
    if (depth > 0 || c == '>') continue;
    // What stands before it is a namespace, or the type that is returned.
    if (c == ':' || c == ' ')
      name.clear();
    else
      name += c;
  }
  return name;
}

}  // namespace prelaunch::fuzz
