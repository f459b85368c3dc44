// Every bad call of kv_materialize is rejected before any launch; every good one is computed right.
#include "fuzz/target.h"
#include "kernels/kv_materialize/cases.h"
#include "kernels/kv_materialize/contract.h"

PRELAUNCH_FUZZ_TARGET(prelaunch::kv_materialize::Op, prelaunch::kv_materialize::Cases)
