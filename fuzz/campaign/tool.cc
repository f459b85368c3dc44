#include "fuzz/campaign/tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "fuzz/campaign/interrupt.h"
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
  const auto ended = [name](int exit_code, const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return exit_code;
  };
  try {
    code = run(argc, argv);
  } catch (const Untrusted& error) {
    return ended(3, error);
  } catch (const Interrupted& error) {
    return ended(130, error);
  } catch (const std::exception& error) {
    return ended(2, error);
  }
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fprintf(stderr, "%s: standard output: cannot be written\n", name);
  return code == 0 ? 2 : code;
}

namespace {

std::string op_names() {
  std::string out;
  for (const OpInfo* op : all_ops()) out += (out.empty() ? "" : ", ") + std::string(op->name);
  return out;
}

}  // namespace

std::vector<const OpInfo*> ops_named(const std::vector<std::string>& names) {
  if (names.empty()) return {all_ops().begin(), all_ops().end()};
  std::vector<const OpInfo*> out;
  for (const std::string& name : names) {
    const OpInfo* op = find_op(name);
    if (op == nullptr) {
      throw FileError(fmt::format("--ops: expected names of {}, got \"{}\"", op_names(), name));
    }
    if (std::find(out.begin(), out.end(), op) == out.end()) out.push_back(op);
  }
  return out;
}

}  // namespace prelaunch::fuzz
