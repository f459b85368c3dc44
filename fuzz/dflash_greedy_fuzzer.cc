// Every bad call of dflash_greedy is rejected before any launch; every good one is computed right.
#include "fuzz/target.h"
#include "kernels/dflash_greedy/cases.h"
#include "kernels/dflash_greedy/contract.h"

PRELAUNCH_FUZZ_TARGET(prelaunch::dflash_greedy::Op, prelaunch::dflash_greedy::Cases)
