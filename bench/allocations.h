// How many times the calling thread has asked the C library for memory: malloc and its kin are
// interposed, operator new ends in them.
#pragma once

#include <cstdint>

namespace prelaunch::bench {

std::uint64_t allocations();

}  // namespace prelaunch::bench
