// What a target does with the calls that it accepts: the one thing in which an op's two differ.
#include "fuzz/judgement.h"

namespace prelaunch::fuzz {

extern const Profile kProfile;
#if defined(PRELAUNCH_EXECUTE)
const Profile kProfile = Profile::kExecute;
#else
const Profile kProfile = Profile::kValidate;
#endif

}  // namespace prelaunch::fuzz
