// Mutates contracts mechanically:
//
//   equality     == and != for each other           argument   a.q by the next argument of its type
//   boundary     < and <=, > and >= likewise        predicate  a call of the vocabulary by "it
//   holds" connective   && and || likewise                 order      two neighbours of a chain of
//   constant     one more, one less                            decisions for each other
//
// in the rules of a table and in the functions they call. What the compiler must evaluate (template
// arguments, `if constexpr`, static_assert) is left alone. Leaving out a rule and swapping two need
// no change of the source: see mutant_check.h.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "fuzz/proof/syntax.h"

namespace prelaunch::fuzz {

// One mutant, as tables.h describes it.
struct SourceMutant {
  std::string kind, file;
  unsigned line;
  std::string where, before, after;
};

// What is to be mutated in one file: the functions of these names, or all of them and the rules of
// a table where there are no names.
struct SourceFile {
  std::string path;  // as includes spell it
  std::set<std::string> functions;
};

// The text of `file` with all mutants as alternatives: `(planted(3) ? (a < b) : (a <= b))`, where
// `planted` is the name of the function that is asked. They are appended to `mutants`, whose size
// is the number of the next one. `syntax` is of a header under `root` that includes the file.
std::string mutate_source(const Syntax& syntax, const std::filesystem::path& root,
                          const SourceFile& file, const std::string& planted,
                          std::vector<SourceMutant>& mutants);

}  // namespace prelaunch::fuzz
