// What a target with something planted does with the calls that it accepts: it runs them where
// PRELAUNCH_PROFILE is "execute".
#include <cstdlib>
#include <string_view>

#include "fuzz/judgement.h"

namespace prelaunch::fuzz {
namespace {

Profile from_environment() {
  const char* name = std::getenv("PRELAUNCH_PROFILE");
  return name != nullptr && std::string_view(name) == "execute" ? Profile::kExecute
                                                                : Profile::kValidate;
}

}  // namespace

extern const Profile kProfile;
const Profile kProfile = from_environment();

}  // namespace prelaunch::fuzz
