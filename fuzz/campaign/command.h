// Runs programs to their end, in an environment that holds nothing but what is given.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace prelaunch::fuzz {

using Environment = std::map<std::string, std::string>;

struct Command {
  std::vector<std::string> words;  // the program, looked up in PATH, and its arguments
  Environment environment;         // beside PATH
  std::filesystem::path folder;    // to run in
  std::chrono::seconds limit{60};
};

struct Ended {
  int code = 0;        // 124 when the limit ended it, 128 + n for signal n
  std::string output;  // standard output and error, at most its last 16 MiB

  bool says(std::string_view text) const { return output.find(text) != output.npos; }
};

// Of the programs, those that run() would not find.
std::vector<std::string> missing_programs(const std::vector<std::string>& programs);

// Writes the output to `log`, which is replaced. Throws Interrupted (after catch_interrupts()), or
// FileError when the log cannot be written.
Ended run(const Command& command, const std::filesystem::path& log);

}  // namespace prelaunch::fuzz
