// Every bad call of kda_replayssm is rejected before any launch; every good one is computed right.
#include "fuzz/target.h"
#include "kernels/kda_replayssm/cases.h"
#include "kernels/kda_replayssm/contract.h"

PRELAUNCH_FUZZ_TARGET(prelaunch::kda_replayssm::Op, prelaunch::kda_replayssm::Cases)
