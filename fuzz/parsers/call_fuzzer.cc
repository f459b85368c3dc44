// Call JSON: a text is refused in one short printable line, or it is a call that its canonical text
// gives back.
#include <optional>

#include "fuzz/json.h"
#include "kernels/common/property.h"

using namespace prelaunch;
using namespace prelaunch::fuzz;

namespace {

constexpr std::size_t kLongestLine = 400;

std::optional<ParsedCall> read(std::string_view text) {
  try {
    return parse_call(text);
  } catch (const BadCall& error) {
    claim_line(error.what());
    claim(std::string_view(error.what()).size() < kLongestLine, "an error is a short line");
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto call = read({reinterpret_cast<const char*>(data), size});
  if (!call) return 0;
  const std::string text = format_call(*call->op, call->named);
  const auto again = read(text);
  claim(again && again->op == call->op && again->named.call == call->named.call &&
            again->named.expect == call->named.expect && again->named.why == call->named.why,
        "a call's text gives the call back");
  claim(format_call(*again->op, again->named) == text, "a call has one text");
  return 0;
}
