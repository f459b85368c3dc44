// A target's options file: each line that is no option is told in one line; the options that were
// read are written as a file that has the same and nothing wrong.
#include "fuzz/conform/target_files.h"
#include "kernels/common/property.h"

using namespace prelaunch;
using namespace prelaunch::fuzz;

namespace {

std::string file_of(const Options& options) {
  std::string out;
  for (const auto& [name, values] : options) {
    out += "[" + name + "]\n";
    for (const auto& [key, value] : values) {
      claim(!name.empty() && !key.empty(), "an option has a section and a name");
      out += key + " = " + value + "\n";
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> wrong, wrong_again;
  const Options options = parse_options({reinterpret_cast<const char*>(data), size}, wrong);
  for (const std::string& line : wrong) claim_line(line);
  claim(parse_options(file_of(options), wrong_again) == options, "options survive their file");
  claim(wrong_again.empty(), "a file of options has nothing wrong");
  return 0;
}
