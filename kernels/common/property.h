// What a fuzz target of a parser claims about every input. A claim that does not hold ends the
// process, in its own words, and the engine keeps the input.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "kernels/common/escape.h"

namespace prelaunch {

inline void claim(bool holds, const char* words) {
  if (holds) return;
  std::fprintf(stderr, "property does not hold: %s\n", words);
  std::abort();
}

// Of what ends up on terminals: they show it as it is.
inline void claim_shown(std::string_view text) {
  if (visible(text) == text) return;
  std::fprintf(stderr, "text: %s\n", visible(text).c_str());
  claim(false, "what is said is one printable line");
}

// Of what a parser says when it refuses.
inline void claim_line(std::string_view text) {
  claim(!text.empty(), "what is refused is said why");
  claim_shown(text);
}

}  // namespace prelaunch
