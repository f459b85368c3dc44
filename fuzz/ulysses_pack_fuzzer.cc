// Every bad call of ulysses_pack is rejected before any launch; every good one is computed right.
#include "fuzz/target.h"
#include "kernels/ulysses_pack/cases.h"
#include "kernels/ulysses_pack/contract.h"

PRELAUNCH_FUZZ_TARGET(prelaunch::ulysses_pack::Op, prelaunch::ulysses_pack::Cases)
