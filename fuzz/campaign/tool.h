// What the command-line tools share: usage errors in one line, exit codes, standard output that may
// fail.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

// The exit code when parsing ends the program: 0 after help, 2 after a usage error, which is told
// in one line. Nothing when the program is to go on.
std::optional<int> parse_ended(CLI::App& app, int argc, char** argv);

// All ops, or those that --ops names, each once. Throws FileError for a name that is none.
std::vector<const OpInfo*> ops_named(const std::vector<std::string>& names);

// The result of a run that cannot be trusted: what it needs failed, not what it looks at.
struct Untrusted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// run(argc, argv) of the tool `name`. What it throws becomes one line on standard error and an exit
// code: 3 Untrusted, 130 Interrupted, 2 anything else and standard output that cannot be written,
// unless there is a worse code to give.
int run_tool(const char* name, int (*run)(int, char**), int argc, char** argv);

}  // namespace prelaunch::fuzz
