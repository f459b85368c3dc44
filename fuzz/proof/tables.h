// What is planted in this program, compiled once as alternatives chosen at run time (planted.h):
// mutants, small changes of the contracts' sources made from clang's syntax tree (mutate_source.h),
// and the kernels' seeded bugs (plant_faults.h). Corpora and fuzzers must notice each.
#pragma once

#include <span>
#include <string_view>

namespace prelaunch::fuzz {

struct Mutant {
  // "equality", "boundary", "connective", "constant", "argument", "predicate" or "order".
  std::string_view kind;
  std::string_view file;
  unsigned line;
  // The rule it is part of, or the function.
  std::string_view where;
  std::string_view before, after;
};

struct Fault {
  std::string_view name, what;
};

// Tables that the build generates; the place in them is the number by which `planted` knows each.
// The mutants of an op's contract.h; for "common", of the headers that all contracts share.
std::span<const Mutant> mutants_of(std::string_view name);
// The bugs of an op's kernel.
std::span<const Fault> faults_of(std::string_view name);

}  // namespace prelaunch::fuzz
