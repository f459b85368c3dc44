#include "fuzz/campaign/tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "fuzz/files.h"

namespace prelaunch::fuzz {

std::optional<int> parse_ended(CLI::App& app, int argc, char** argv) {
  app.failure_message([](const CLI::App* tool, const CLI::Error& error) {
    return tool->get_name() + ": " + error.what() + "; --help tells the usage\n";
  });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return std::nullopt;
}

int run_tool(const char* name, int (*run)(int, char**), int argc, char** argv) {
  int code = 2;
  try {
    code = run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  }
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fprintf(stderr, "%s: standard output: cannot be written\n", name);
  return code == 0 ? 2 : code;
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
