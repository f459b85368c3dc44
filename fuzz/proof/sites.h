// A source with alternatives at some of its places, one of which may be chosen at run time.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/proof/syntax.h"

namespace prelaunch::fuzz {

enum class Form : std::uint8_t { kExpression, kStatements };

class Sites {
 public:
  // `planted` is the name of the function that says whether an alternative, by its number, is
  // chosen.
  Sites(std::string text, std::string planted)
      : text_(std::move(text)), planted_(std::move(planted)) {}

  const std::string& source() const { return text_; }
  std::string text(Range range) const { return text_.substr(range.begin, range.end - range.begin); }

  // Alternative number `mutant` has `changed` in the place of `range`. Two ranges that meet are one
  // inside the other.
  void add(Range range, Form form, std::size_t mutant, std::string changed);

  // The whole source: `(planted(3) ? (a < b) : (a <= b))`.
  std::string rendered();

 private:
  struct Site {
    Range range;
    Form form;
    std::vector<std::pair<std::size_t, std::string>> alternatives;  // mutant and text
  };

  std::string render(Range range, std::size_t& next) const;
  std::string with_alternatives(const Site& site, const std::string& original) const;

  std::string text_, planted_;
  std::vector<Site> sites_;
};

}  // namespace prelaunch::fuzz
