// Where a run was made and with what: the keys of Google Benchmark's context that it does not know.
#pragma once

#include <nlohmann/json.hpp>

namespace prelaunch::bench {

// `seed` is that of the drawn calls.
nlohmann::ordered_json read_context(std::uint64_t seed);

}  // namespace prelaunch::bench
