// Every bad call of dflash_sampling is rejected before any launch; every good one is computed
// right.
#include "fuzz/target.h"
#include "kernels/dflash_sampling/cases.h"
#include "kernels/dflash_sampling/contract.h"

PRELAUNCH_FUZZ_TARGET(prelaunch::dflash_sampling::Op, prelaunch::dflash_sampling::Cases)
