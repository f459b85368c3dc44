// What LLVM's tools say of a binary: two listings after each other hold what the one and the other
// hold. A bar in the input says where the second begins.
#include "fuzz/conform/binary.h"
#include "kernels/common/property.h"

using namespace prelaunch;
using namespace prelaunch::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t bar = std::min(text.find('|'), text.size());
  const std::string first(text.substr(0, bar)), second(text.substr(std::min(bar + 1, size)));
  const std::string both = first + "\n" + second;
  auto calls = count_calls(first);
  for (const auto& [runtime, count] : count_calls(second)) calls[runtime] += count;
  claim(count_calls(both) == calls, "calls add up");
  auto libraries = needed_libraries(first);
  libraries.merge(needed_libraries(second));
  claim(needed_libraries(both) == libraries, "libraries unite");
  for (const std::string& library : libraries) {
    claim(library.find('\n') == library.npos, "a library is named within a line");
  }
  return 0;
}
