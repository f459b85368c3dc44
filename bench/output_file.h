// The file of a run's results: the old one or the whole new one, never a part.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace prelaunch::bench {

// One line: the path and why. Exit code 2.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A temporary file beside the target, made at once, so that a run does not end in "no permission".
class OutputFile {
 public:
  // Throws OutputError.
  explicit OutputFile(const std::filesystem::path& target);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Writes the bytes and puts the file in its place. Throws OutputError.
  void finish(std::string_view bytes);

 private:
  std::filesystem::path target_, temporary_;
};

}  // namespace prelaunch::bench
