// The packed corpus: what the fuzzers start from.
#pragma once

#include <filesystem>

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

// The calls of CORPUS/<op>/{seed,regression}/*.json, named "seed-<file>" or "regression-<file>".
// Throws FileError, which names what cannot be read.
std::vector<NamedCall> stored_calls(const OpInfo& op, const std::filesystem::path& corpus);

// Writes each call as bytes into `out`, which is created, and beside them inputs that drive the
// generator. Throws FileError, which names what cannot be written.
void pack_calls(const OpInfo& op, std::span<const NamedCall> calls,
                const std::filesystem::path& out);

}  // namespace prelaunch::fuzz
