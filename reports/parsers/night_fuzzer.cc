// nightly.json: a text is refused in one printable line, or is a night that survives its file.
#include "kernels/common/property.h"
#include "reports/night.h"

using namespace prelaunch;
using namespace prelaunch::reports;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Night night;
  try {
    night = parse_night({reinterpret_cast<const char*>(data), size});
  } catch (const JsonError& error) {
    claim_line(error.what());
    return 0;
  }
  const Night again = parse_night(night.to_json());
  claim(again.interrupted == night.interrupted && again.troubles == night.troubles,
        "a night survives its file");
  return 0;
}
