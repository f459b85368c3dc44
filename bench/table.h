// The results as text, for whoever ran the program.
#pragma once

#include <map>
#include <string>

#include "bench/results.h"

namespace prelaunch::bench {

// Times are medians over the repetitions; a ratio is the median of the repetitions' ratios, with
// the least and the greatest beside it.
std::string results_table(const std::map<std::string, Result>& results);

}  // namespace prelaunch::bench
